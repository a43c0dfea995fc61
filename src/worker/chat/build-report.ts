import type { Redactor } from '../../kernel/index.ts'
import type { RunReport } from '../../runs/index.ts'
import type { ChatEnd, ChatProgress } from './chat-end.ts'
import type { BoardIdentity } from './parse-arguments.ts'

/** What a worker says of its run. Everything that is text is masked here. */
export function buildReport(
  { redact, nowMs }: { readonly redact: Redactor; readonly nowMs: number },
  { board, end, progress }: { readonly board: BoardIdentity; readonly end: ChatEnd; readonly progress: ChatProgress },
): RunReport {
  return {
    schema: 1,
    run: board.run,
    fence: board.fence,
    status: end.kind,
    reason: end.reason,
    message: end.message === null ? null : redact(end.message),
    retryAt: end.retryAfterMs === null ? null : new Date(nowMs + end.retryAfterMs).toISOString(),
    needsHuman: end.needsHuman,
    result: progress.text === '' ? null : redact(progress.text),
    data: null,
    usage: progress.usage === null ? null : { ...progress.usage, calls: progress.calls },
    served: progress.calls > 0,
    turns: progress.turns,
    ...(progress.handedBack.length === 0 ? {} : { artifacts: progress.handedBack.map((path) => ({ path })) }),
  }
}
