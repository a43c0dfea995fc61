import { errorFrom } from './error-from.ts'
import { clientError } from './errors.ts'
import type { ApiAnswer, ApiRequest, Transport } from './transport.ts'

/** One request with a JSON answer; whatever is not 2xx is thrown. */
export async function call<View>(transport: Transport, request: ApiRequest): Promise<View> {
  return parseAnswer(transport, await transport.send(request))
}

/** What a JSON answer says; whatever is not 2xx is thrown. */
export function parseAnswer<View>(transport: Transport, given: ApiAnswer): View {
  const answer = okOrThrow(transport, given)
  try {
    return JSON.parse(answer.text) as View
  } catch (cause) {
    const text = JSON.stringify(answer.text.slice(0, 200))
    throw clientError('CLIENT_BAD_ANSWER', { address: transport.address, status: answer.status, text }, cause)
  }
}

export function okOrThrow(transport: Transport, answer: ApiAnswer): ApiAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer
  throw errorFrom(transport.address, answer.status, answer.text)
}
