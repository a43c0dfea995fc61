import type { BatchView, EventView, RunView } from '../../api/contract/index.ts'
import { describeDuration, sayWait } from '../../kernel/index.ts'
import { clockTime } from '../render/times.ts'
import { cutTo, onOneLine, padTo } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { doneWords, lastLineOf, unusedReport } from '../report/index.ts'
import { endedOf, type Progress } from './progress.ts'

/** The end of one attempt, or of a task without one: what is known when its task has moved. */
export interface EndedAttempt {
  readonly event: EventView
  readonly key: string
  readonly kind: 'prompt' | 'run'
  /** The attempt that ended; undefined where none was (a task that was cancelled before it started). */
  readonly run: RunView | undefined
}

/** Events that move a task out of an attempt, or end it without one. */
export const endKinds = [
  'task.done',
  'task.failed',
  'task.cancelled',
  'task.blocked',
  'task.requeued',
  'task.review',
  'task.approved',
  'task.rejected',
] as const

/** Keys are lined up to this width; longer ones push the rest of their line. */
const keyColumn = 28
const longestLastLine = 80

/** `09:07  T4  file[src/legacy/x.ts]  goes back [check_failed]  58s  TS2345 …  (attempt 2 of 2 follows in 10 s)` */
export function endLine({ event, key, kind, run }: EndedAttempt, nowMs: number): string {
  const took = run?.started_at == null || run.exited_at === null ? '' : lengthOf(run.started_at, run.exited_at)
  const last = cutTo(run === undefined ? '' : (changeWords(event, run) ?? lastLineOf(run)), longestLastLine)
  const parts = [
    clockTime(event.at, nowMs),
    padTo(`T${event.task}`, 4),
    padTo(onOneLine(key), keyColumn),
    padTo(wordsOf(event, kind, run), 18),
    padTo(took, 6),
    last,
    whatFollows(event, last, run),
  ]
  return parts
    .filter((part, index) => index < 4 || part.trim() !== '')
    .join('  ')
    .trimEnd()
}

const lengthOf = (from: string, to: string): string => describeDuration(Math.max(0, Date.parse(to) - Date.parse(from)))

function wordsOf({ kind: eventKind }: EventView, kind: 'prompt' | 'run', run: RunView | undefined): string {
  const outcome = run?.outcome ?? undefined
  switch (eventKind) {
    case 'task.done':
    case 'task.approved':
      return `${doneWords({ kind, checked: run?.checked ?? false, change: run?.change ?? null })} [done]`
    case 'task.failed':
      return `failed [${outcome ?? 'failed'}]`
    case 'task.cancelled':
      return 'cancelled [cancelled]'
    case 'task.review':
      return 'waits for review [review]'
    case 'task.rejected':
      return 'goes back [changes_requested]'
    case 'task.blocked':
      return `needs you [${outcome ?? 'blocked'}]`
    default:
      return `goes back [${outcome ?? 'requeued'}]`
  }
}

/** `+6 -9`: of what is done, what it changed says more than what it printed last. */
function changeWords({ kind }: EventView, { change }: RunView): string | undefined {
  if (kind !== 'task.done' || change === null || change.patch_bytes === null) return undefined
  return `+${change.insertions} -${change.deletions}`
}

/** Why it moved, in the board's words, where the end and its last line do not say it already. */
function whatFollows({ kind, task, text }: EventView, last: string, run: RunView | undefined): string {
  if (kind === 'task.done') {
    const note = unusedReport(run?.reason ?? null)
    return note === '' ? '' : `(${note})`
  }
  const says = onOneLine(text).replace(
    new RegExp(`^T${task} (failed|goes back|needs a person|was cancelled|waits for review|done): `),
    '',
  )
  return says === '' || says === last ? '' : `(${says})`
}

/** What stands above the lines of a batch that is followed without a terminal. */
export function firstLine({ id, name, counts, limits }: BatchView, nowMs: number): string {
  const parts = [
    `B${id} ${onOneLine(name)}`,
    count(counts.total, 'task'),
    ...(limits.slots === null ? [] : [count(limits.slots, 'slot')]),
    ...(limits.stop_at === null ? [] : [`until ${clockTime(limits.stop_at, nowMs)}`]),
  ]
  return parts.join('  ')
}

/** `09:08  ··  11/200 done · 8 running · 181 waiting · about 17 min left`: a sign of life for logs that time out. */
export function heartbeatLine(progress: Progress, nowMs: number): string {
  const { done, total, failed, needsYou, running, waiting, leftMs, waitsFor } = progress
  const parts = [
    `${done}/${total} done`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(needsYou === 0 ? [] : [`${needsYou} ${needsYou === 1 ? 'needs' : 'need'} you`]),
    `${running} running`,
    `${waiting} waiting`,
    ...(waitsFor === null ? [] : [waitsFor]),
    ...(leftMs === undefined || endedOf(progress) === total ? [] : [`about ${sayWait(leftMs)} left`]),
  ]
  return `${clockTime(new Date(nowMs).toISOString(), nowMs)}  ··  ${parts.join(' · ')}`
}
