import { type Clock, formatTaskId, type Redactor, type RunId, taskId, YardError } from '../../kernel/index.ts'
import type { BoardLink } from './board-link.ts'
import { BoardState } from './board-state.ts'
import { finishRun } from './finish-run.ts'
import { beat, followNews, isOver } from './follow-board.ts'
import { createHubLine, type HubLine } from './hub-line.ts'

export interface BoardDeps {
  readonly clock: Clock
  readonly log: (line: string) => void
  /** For what is sent, because it is kept. */
  readonly redact: Redactor
  /** For what the model reads. */
  readonly maskKnown: Redactor
}

export interface BoardInput {
  readonly token: string
  readonly run: RunId
  /** What its environment says that it works on, `T142`; undefined: it does not say. */
  readonly task: string | undefined
  readonly hubFile: string
  /** How long the run may go on; `Infinity` where nothing limits it. Asked when it ends. */
  readonly timeLeftMs: () => number
  /** Without progress for so long it sends no heartbeat any more: longer than any watchdog of the loop allows. */
  readonly vetoAfterMs: number
  /** Fires when the worker is told to stop. */
  readonly signal: AbortSignal
}

/** Whether the hub knows this run and its task; undefined: it could not be asked yet, and the worker begins all the same. */
export type BoardOpening =
  | { readonly kind: 'ok' | 'not_asked' }
  /** The hub that answers has another store (C102): nothing is to be done here. */
  | { readonly kind: 'wrong_store'; readonly says: string }
  /** The run had ended before its worker began. */
  | { readonly kind: 'over'; readonly says: string }

/** A board worker's line to its hub, and what the board tools of the same worker ask by. */
export interface BoardConnection {
  readonly link: BoardLink
  readonly line: HubLine
  /** Resolves when the hub has answered for the first time, or could not be asked. Nothing is to be worked on before. */
  readonly opening: Promise<BoardOpening>
  /** Ends the questions for news and the heartbeat. */
  close(): void
}

/** Opens the line: asks whether this is the right hub, then hears of news and beats until `close`. */
export function connectBoard(deps: BoardDeps, input: BoardInput): BoardConnection {
  const { clock, redact, maskKnown } = deps
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, input.signal])
  const line = createHubLine({ clock }, { token: input.token, hubFile: input.hubFile, signal })
  const state = new BoardState(maskKnown)
  let progressMs = clock.monotonicMs()
  const opening = open({ ...deps, line }, input)
  void opening.then(({ kind }) => {
    if (kind !== 'ok' && kind !== 'not_asked') return
    beat({ clock, line, state }, { vetoAfterMs: input.vetoAfterMs, progressMs: () => progressMs }, signal)
    void followNews({ ...deps, line, state }, signal)
  })
  const link: BoardLink = {
    takeNews: () => state.takeNews(),
    onNews: (signal, listener) => state.onNews(signal, listener),
    ended: state.ended,
    endedBy: () => state.endedBy,
    noteProgress: () => {
      progressMs = clock.monotonicMs()
    },
    finish: (call) => finishRun({ line, state, redact }, { call, timeLeftMs: input.timeLeftMs() }),
  }
  return { link, line, opening, close: () => closing.abort() }
}

/** A hub that has just started the run is asked for a moment only: a worker whose hub was killed in it goes on without. */
const openWithinMs = 2_000

async function open(
  { line, log }: Pick<BoardDeps, 'log'> & { line: HubLine },
  input: BoardInput,
): Promise<BoardOpening> {
  try {
    const how = { retryForMs: openWithinMs, answerWithinMs: openWithinMs }
    const { run, task } = await line.ask(how, (client, signal) => client.show(undefined, signal))
    const own = formatTaskId(taskId(task.id))
    if (run !== input.run || (input.task !== undefined && input.task !== own)) {
      const wanted = `R${input.run}${input.task === undefined ? '' : ` of ${input.task}`}`
      return wrongStore(`the hub knows this worker as R${run} of ${own}, and it was started as ${wanted}`)
    }
    return { kind: 'ok' }
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    if (isOver(fault)) return { kind: 'over', says: fault.message }
    if (fault.status === 401 || fault.status === 403) return wrongStore(fault.message)
    log(`board: ${fault.message}; the work begins without it`)
    return { kind: 'not_asked' }
  }
}

const wrongStore = (why: string): BoardOpening => ({
  kind: 'wrong_store',
  says: `wrong store: the hub that answers does not have this run (${why})`,
})
