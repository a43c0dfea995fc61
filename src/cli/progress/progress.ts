import type { BatchView, TaskView, WhyView } from '../../api/contract/index.ts'
import { onOneLine } from '../render/visible.ts'
import { stageWords } from '../render/words.ts'

/** How far a batch is, as plain values: what the terminal and the log lines are drawn from. */
export interface Progress {
  readonly id: number
  readonly name: string
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly needsYou: number
  readonly cancelled: number
  readonly running: number
  readonly waiting: number
  /** One for each running task, oldest first; may be fewer than `running`. */
  readonly lines: readonly RunningLine[]
  /** How long the rest will take; undefined while too little is known. */
  readonly leftMs: number | undefined
  /** Why nothing runs although something waits, in the words of `why`; null while something runs. */
  readonly waitsFor: string | null
}

export interface RunningLine {
  readonly task: number
  readonly key: string
  readonly attempt: number
  readonly forMs: number
  /** Last line of its output, or what is being done to it. */
  readonly says: string
}

export interface ProgressFacts {
  readonly batch: BatchView
  readonly running: readonly TaskView[]
  readonly nowMs: number
  readonly pace: Pace
  /** Why the first waiting task does not run, asked for when nothing runs. */
  readonly why: WhyView | null
}

/** What the rest is judged by: ends since we began to watch, and how long that took. */
export interface Pace {
  readonly ended: number
  readonly elapsedMs: number
}

export function buildProgress({ batch, running, nowMs, pace, why }: ProgressFacts): Progress {
  const count = (...statuses: readonly string[]) =>
    statuses.reduce((sum, status) => sum + (batch.counts.by_status[status] ?? 0), 0)
  const counts = {
    done: count('done'),
    failed: count('failed'),
    needsYou: count('blocked', 'review'),
    cancelled: count('cancelled'),
    running: count('running'),
    waiting: count('triage', 'todo', 'ready'),
  }
  return {
    id: batch.id,
    name: onOneLine(batch.name),
    total: batch.counts.total,
    ...counts,
    lines: running.map((task) => runningLine(task, nowMs)).toSorted((a, b) => b.forMs - a.forMs),
    waitsFor: why === null ? null : onOneLine(why.says).replace(/^T\d+ does not run: /, ''),
    leftMs: planLeftMs(pace, counts.running + counts.waiting),
  }
}

/** Tasks that came to an end, whatever it was: they do not start again by themselves. */
export const endedOf = ({ done, failed, needsYou, cancelled }: Progress): number => done + failed + needsYou + cancelled

/** Fewer ends than this say nothing about the others. */
const fewestEnds = 3

/** The rest at the pace so far. An estimate for people: tasks differ, so it is shown with "about". */
export function planLeftMs({ ended, elapsedMs }: Pace, left: number): number | undefined {
  if (ended < fewestEnds || left === 0) return undefined
  return Math.round((elapsedMs / ended) * left)
}

function runningLine(task: TaskView, nowMs: number): RunningLine {
  const run = task.last_run
  const since = run?.started_at ?? run?.claimed_at
  return {
    task: task.id,
    key: onOneLine(task.key ?? task.title),
    attempt: task.runs,
    forMs: since === undefined ? 0 : Math.max(0, nowMs - Date.parse(since)),
    says: onOneLine(stateOf(task)),
  }
}

function stateOf({ last_run, wish }: TaskView): string {
  if (wish !== null) return wish === 'cancel' ? 'is being cancelled' : 'is being stopped'
  if (last_run?.stop != null) return `is being ended: ${last_run.stop.text}`
  const stage = last_run === null ? undefined : stageWords(last_run)
  return stage ?? last_run?.live?.last_line ?? ''
}
