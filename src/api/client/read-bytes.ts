import { errorFrom } from './error-from.ts'
import { clientError } from './errors.ts'
import type { Transport } from './transport.ts'

/** The body of an answer as its bytes come. Throws what the hub refuses, and `CLIENT_HUB_GONE` where they break off. */
export async function* readBytes(transport: Transport, path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const answer = await transport.open(path, undefined, signal)
  if (answer.kind === 'refused') throw errorFrom(transport.address, answer.status, answer.text)
  try {
    for await (const chunk of answer.chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw clientError('CLIENT_HUB_GONE', { address: transport.address, why }, cause)
  }
}
