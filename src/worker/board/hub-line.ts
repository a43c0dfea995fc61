import { readFileSync } from 'node:fs'
import { connectRun, type RunClient } from '../../api/client/index.ts'
import { type Clock, YardError } from '../../kernel/index.ts'
import { workerError } from '../errors.ts'

export interface HubLineInput {
  readonly token: string
  /** Absolute path of the file in which the hub says where it answers; another hub writes its own address into it. */
  readonly hubFile: string
  /** Fires when nothing is asked any more. */
  readonly signal: AbortSignal
}

export interface Asking {
  /** While the hub cannot be reached it is asked again for so long; 0: not at all. */
  readonly retryForMs: number
  /** not_sent: asked again only where it is certain that nothing has arrived, for what must not happen twice. */
  readonly repeat?: 'always' | 'not_sent'
  /** How long one answer may take. */
  readonly answerWithinMs?: number
  /** Ends it, besides the signal of the line. */
  readonly signal?: AbortSignal
}

/** The way to the hub that owns the run, whichever answers for it now. */
export interface HubLine {
  /** What the hub answers. Throws what it refuses with as it was said, and `CLIENT_HUB_GONE` when it could not be reached in time. */
  ask<Answer>(how: Asking, call: (client: RunClient, signal: AbortSignal) => Promise<Answer>): Promise<Answer>
}

/** A hub that is down comes back within this time, or it is taken for gone (design section 6, "Adoption"). */
export const hubRetryMs = 120_000

const firstWaitMs = 100
const longestWaitMs = 2_000
const usualAnswerMs = 60_000
const leastAnswerMs = 1_000

export function createHubLine({ clock }: { readonly clock: Clock }, input: HubLineInput): HubLine {
  let known: { readonly port: number; readonly client: RunClient } | undefined
  // Once it has answered for this run, a token that nobody knows means that another program took over its port.
  let hasAnswered = false

  const clientNow = (): RunClient => {
    const port = readPort(input.hubFile)
    if (known?.port !== port) known = { port, client: connectRun({ port, token: input.token }) }
    return known.client
  }
  const isGone = (fault: unknown): boolean => {
    if (!(fault instanceof YardError)) return false
    if (isStrange(fault)) return hasAnswered
    return goneCodes.has(fault.code) || fault.status >= 500
  }

  return {
    async ask(how, call) {
      const { retryForMs, repeat = 'always' } = how
      const stop = how.signal === undefined ? input.signal : AbortSignal.any([input.signal, how.signal])
      const untilMs = clock.monotonicMs() + retryForMs
      for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
        try {
          const { answerWithinMs = usualAnswerMs } = how
          const leftMs = Math.max(untilMs - clock.monotonicMs(), leastAnswerMs)
          const withinMs = retryForMs === 0 ? answerWithinMs : Math.min(answerWithinMs, leftMs)
          const answer = await within({ clock }, stop, withinMs, (signal) => call(clientNow(), signal))
          hasAnswered = true
          return answer
        } catch (fault) {
          const mayRepeat = isGone(fault) && (repeat === 'always' || isNotSent(fault))
          const leftMs = untilMs - clock.monotonicMs()
          if (!mayRepeat || stop.aborted || leftMs <= 0) throw fault
          await clock.sleep(Math.min(waitMs, leftMs), stop).catch(() => {}) // told to stop: the next round ends it
        }
      }
    },
  }
}

/** A hub that does not know the token, or nobody at all: that of another home, or one that has lost its own. */
export const isStrange = ({ code }: YardError): boolean => code === 'API_BAD_RUN_TOKEN' || code === 'API_NO_TOKEN'

/** Nothing answers there, or something else than a hub of this version does. */
const goneCodes: ReadonlySet<string> = new Set(['CLIENT_HUB_GONE', 'CLIENT_BAD_ANSWER', 'WORKER_NO_HUB'])

/** A refusal after which it is certain that the hub has kept nothing of what was asked. */
export const isSurelyNotDone = (fault: YardError): boolean => isNotSent(fault) || fault.code === 'BOARD_DISK_FULL'

function isNotSent(fault: unknown): boolean {
  if (!(fault instanceof YardError)) return false
  if (fault.code === 'WORKER_NO_HUB') return true
  return (fault.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED'
}

/** A hub that is frozen holds the connection and never answers. */
async function within<Answer>(
  { clock }: { readonly clock: Clock },
  stop: AbortSignal,
  ms: number,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const late = new AbortController()
  const over = new AbortController()
  clock.after(ms, over.signal, () => late.abort())
  try {
    return await call(AbortSignal.any([stop, late.signal]))
  } finally {
    over.abort()
  }
}

/** `http://127.0.0.1:7420`, put in place by rename: the old address or the new one, never half of one. */
function readPort(hubFile: string): number {
  let text: string
  try {
    text = readFileSync(hubFile, 'utf8')
  } catch (cause) {
    throw workerError(
      'WORKER_NO_HUB',
      { file: hubFile, why: (cause as NodeJS.ErrnoException).code ?? 'unreadable' },
      cause,
    )
  }
  const [, port] = /^http:\/\/127\.0\.0\.1:([0-9]{1,5})\s*$/.exec(text) ?? []
  if (port === undefined) throw workerError('WORKER_NO_HUB', { file: hubFile, why: 'it holds no address' })
  return Number(port)
}
