import type { SettingView, TaskDetail, WhyView } from '../../api/contract/index.ts'
import { describeDuration, isOurs, shellWord } from '../../kernel/index.ts'
import { checkWords, workspaceWords } from '../card/card-answer.ts'
import { filesLine } from '../files/file-words.ts'
import { goesOnBy } from '../goes-on-by.ts'
import { runningWords, withoutName } from '../list/list-lines.ts'
import { costWords } from '../render/cost-words.ts'
import { labelled } from '../render/labelled.ts'
import { ago, runLengthMs } from '../render/times.ts'
import { cutTo, onOneLine, padTo, widthOf } from '../render/visible.ts'
import { endOf, endOutcome, heldWords, statusWord } from '../render/words.ts'
import { doneWords } from '../report/index.ts'
import { codeLines } from './code-lines.ts'
import { endWords, evidenceLines, type ShowLook } from './run-lines.ts'

/** What `show` reads of one card. */
export interface ShownTask {
  readonly task: TaskDetail
  /** Absent once it is settled. */
  readonly why?: WhyView | undefined
  /** Empty while its lane is not configured. */
  readonly settings: readonly SettingView[]
}

/** A card in full: what it is, why it stands where it stands, what its attempts left, what to type next. */
export function taskLines({ task, why, settings }: ShownTask, look: ShowLook): readonly string[] {
  const last = task.all_runs.at(-1)
  return [
    ...headLines(task, look),
    ...labelled(look, 'prompt', promptWords(task, look)),
    ...labelled(look, 'run', commandWords(task)),
    ...labelled(look, 'works', workspaceWords(settings, task.dir)),
    ...labelled(look, 'files', filesLine(task.id, task.attachments)),
    ...labelled(look, 'key', task.key === null ? undefined : onOneLine(task.key)),
    ...labelled(look, 'labels', task.labels.length === 0 ? undefined : task.labels.map(onOneLine).join(', ')),
    ...labelled(look, 'archived', archivedWords(task, look)),
    ...labelled(look, 'needs', needWords(task, look)),
    ...labelled(look, 'why', whyWords(task, why, look)),
    ...codeLines(task.all_runs, look, dueCheck(task, settings)),
    ...labelled(look, 'now', task.status === 'running' ? runningWords(task, look.nowMs) : undefined),
    ...labelled(look, 'attempts', attemptWords(task, look)),
    ...(last === undefined ? [] : labelled(look, 'last', `R${last.id} ${endWords(last, look.nowMs)}`)),
    ...(last === undefined ? [] : evidenceLines(last, look)),
    ...labelled(look, 'notes', noteWords(task, look)),
    ...labelled(look, 'next', nextCommands(task).join(' · ')),
  ]
}

const widestHead = 110

function headLines(task: TaskDetail, { width, nowMs, paint }: ShowLook): readonly string[] {
  const batch = task.batch === null ? '' : ` · B${task.batch}`
  const right = `${task.board}${batch} · ${task.lane} · ${standing(task, nowMs)}`
  const room = Math.min(width, widestHead) - widthOf(right) - 2
  const left = `T${task.id} ${onOneLine(task.title)}`
  if (room < 20) return [paint.bold(cutTo(left, width)), `  ${right}`]
  return [`${paint.bold(padTo(cutTo(left, room), room))}  ${right}`]
}

/** `done, checked`, and every other status as lists have it. */
function standing(task: TaskDetail, nowMs: number): string {
  const last = task.all_runs.at(-1)
  if (task.status !== 'done' || last === undefined) return statusWord(task, nowMs)
  return doneWords({ kind: task.kind, checked: last.checked, change: last.change })
}

function promptWords({ prompt, title }: TaskDetail, { width }: ShowLook): string | undefined {
  if (prompt === null || prompt === title) return undefined
  const lines = prompt.split('\n').length
  const text = cutTo(onOneLine(prompt.slice(0, 2_000)), Math.max(20, Math.min(width, widestHead) - 40))
  return `"${text}"${lines > 1 ? ` (${lines} lines)` : ''}`
}

function commandWords({ run }: TaskDetail): string | undefined {
  if (run === null) return undefined
  return typeof run === 'string' ? onOneLine(run) : run.map(shellWord).join(' ')
}

/** The check that a card still has before it; what was done without one stays as it was, whatever its board says by now. */
function dueCheck({ status }: TaskDetail, settings: readonly SettingView[]): string | undefined {
  if (status === 'done' || status === 'cancelled') return undefined
  const check = checkWords(settings)
  return check === undefined ? undefined : `${check}: not run${status === 'failed' ? '' : ' yet'}`
}

function archivedWords({ archived_at, archived_by }: TaskDetail, { nowMs }: ShowLook): string | undefined {
  if (archived_at === null) return undefined
  return `${ago(archived_at, nowMs)} ago by ${onOneLine(archived_by ?? '')}: left out of lists, kept in reports`
}

function needWords({ needs }: TaskDetail, { nowMs }: ShowLook): readonly string[] {
  return needs.map(
    ({ task, title, status, when }) =>
      `T${task} ${onOneLine(title)}: ${statusWord({ status }, nowMs)}${when === 'always' ? ' (its end counts, whatever it is)' : ''}`,
  )
}

function whyWords({ status, hold }: TaskDetail, why: WhyView | undefined, { paint }: ShowLook): string | undefined {
  if (status === 'done' || status === 'running') return undefined
  if (hold !== null && ['failed', 'blocked', 'cancelled'].includes(status)) {
    const text = onOneLine(hold.text)
    // Only a person's name says more: the hub has decided everything else.
    const by = hold.by === null || isOurs(hold.by) ? '' : onOneLine(hold.by)
    return `${text}${by === '' || text.includes(`by ${by}`) ? '' : ` (by ${by})`} ${paint.dim(`[${onOneLine(hold.code)}]`)}`
  }
  return why === undefined ? undefined : `${onOneLine(withoutName(why.says))} ${paint.dim(`[${why.code}]`)}`
}

function attemptWords({ all_runs, failures, attempts }: TaskDetail, { nowMs }: ShowLook): string | undefined {
  if (all_runs.length === 0) return undefined
  const runs = all_runs.slice(-8).map((run) => {
    const lengthMs = runLengthMs(run, nowMs)
    const length = lengthMs === undefined ? '' : ` ${describeDuration(lengthMs)}`
    const end = run.exit_code === 0 ? undefined : endOf(run)
    const cost = costWords(run.cost_usd)
    return `R${run.id}${run.review ? ' review' : ''} ${run.outcome === null ? 'running' : endOutcome({ outcome: run.outcome, call: run.call })}${end === undefined ? '' : ` ${end}`}${length}${cost === undefined ? '' : ` ${cost}`}`
  })
  const earlier = all_runs.length > 8 ? [`${all_runs.length - 8} earlier`] : []
  return `${[...earlier, ...runs].join(' · ')}   (${failures} of ${attempts} failed)`
}

/** A reviewer may write pages; `--json` and the next attempt have all of it. */
const widestNote = 500

function noteWords({ comments }: TaskDetail, { nowMs }: ShowLook): readonly string[] {
  const short = (text: string) => cutTo(onOneLine(text.slice(0, 4 * widestNote)), widestNote)
  return comments.slice(-5).map(({ at, by, text }) => `${ago(at, nowMs)} ago ${onOneLine(by)}: "${short(text)}"`)
}

function nextCommands(task: TaskDetail): readonly string[] {
  const { id, status } = task
  if (task.archived_at !== null) return [`yardmaster archive --undo T${id}`, `yardmaster retry T${id}`]
  switch (status) {
    case 'triage':
      return [`yardmaster ready T${id}`, `yardmaster edit T${id}`]
    case 'todo':
    case 'ready':
      return [`yardmaster why T${id}`, `yardmaster edit T${id}`]
    case 'running':
      return heldWords(task.last_run) === undefined
        ? [`yardmaster log -f T${id}`, `yardmaster stop T${id}`]
        : [`yardmaster why T${id}`, `yardmaster log T${id}`]
    case 'review':
      return [goesOnBy(task), `yardmaster reject T${id} "…"`]
    case 'blocked':
      return [goesOnBy(task), `yardmaster cancel T${id}`]
    case 'failed':
    case 'cancelled':
      return [`yardmaster retry T${id}`, ...diffCommands(task).slice(0, 1), ...logCommand(task)]
    default: {
      const diff = diffCommands(task)
      return [...(diff.length === 0 ? logCommand(task) : diff), `yardmaster retry T${id} "…"`]
    }
  }
}

/** How what it changed is looked at and taken; nothing where it changed nothing. */
function diffCommands({ id, all_runs }: TaskDetail): readonly string[] {
  const change = all_runs.findLast((run) => run.change !== null)?.change ?? null
  if (change === null || change.patch_bytes === null) return []
  // The branch of a URL is in a mirror of ours, where nobody merges.
  const merge = change.repo.startsWith('/') ? [`git merge ${shellWord(change.branch)}`] : []
  return [`yardmaster diff T${id}`, ...merge]
}

/** Of its newest attempt, while that has a log. */
function logCommand({ id, last_run }: TaskDetail): readonly string[] {
  return last_run === null || last_run.pruned_at !== null ? [] : [`yardmaster log T${id}`]
}
