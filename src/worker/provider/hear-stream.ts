import type { CallWatch } from './call-watch.ts'
import { inBandError } from './open-stream.ts'
import type { ReplyReader } from './wire-api.ts'

/** What was heard of an answer, up to its end or to where it broke. */
export interface Hearing {
  readonly reader: ReplyReader
  /** Events that the interface knows, with or without words of the model in them. */
  events: number
  /** Something that the model said, or a piece of a call. */
  spoke: 'yes' | 'no'
  /** An error that stood in the stream, as a body. */
  inBandError: string | null
  cause: unknown
}

export const emptyHearing = (reader: ReplyReader): Hearing => ({
  reader,
  events: 0,
  spoke: 'no',
  inBandError: null,
  cause: undefined,
})

/** Reads a stream to its end. Never throws: what broke it is in the hearing. */
export async function hear(
  open: () => Promise<AsyncIterable<unknown>>,
  { hearing, watch }: { readonly hearing: Hearing; readonly watch: CallWatch },
): Promise<void> {
  const { reader } = hearing
  try {
    for await (const event of await open()) {
      const heard = reader.add(event)
      if (typeof heard === 'object') {
        hearing.inBandError = heard.error
        return
      }
      if (heard !== 'foreign') hearing.events += 1
      if (heard !== 'model') continue
      hearing.spoke = 'yes'
      watch.sawEvent()
      if (reader.isThere !== 'part') watch.sawEnough(reader.isThere)
    }
  } catch (cause) {
    hearing.inBandError = inBandError(cause) ?? null
    hearing.cause = cause
  }
}
