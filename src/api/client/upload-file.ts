import type { Readable } from 'node:stream'
import type { AttachmentView } from '../contract/index.ts'
import { parseAnswer } from './call.ts'
import type { Transport } from './transport.ts'

/** Sends a file as it is read; whatever is not 2xx is thrown. */
export async function uploadFile(
  transport: Transport,
  {
    path,
    name,
    source,
    signal,
  }: {
    readonly path: string
    readonly name: string
    readonly source: Readable
    readonly signal?: AbortSignal | undefined
  },
): Promise<AttachmentView> {
  const answer = await transport.upload(`${path}?${new URLSearchParams({ name }).toString()}`, source, signal)
  return parseAnswer(transport, answer)
}
