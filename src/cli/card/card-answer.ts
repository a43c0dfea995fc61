import type { CreatedTaskView, SettingView, TaskView } from '../../api/contract/index.ts'
import { clockTime } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { statusWord } from '../render/words.ts'

/** What `add` answers: what became of the card, who works on it and where, or who holds its key already. */
export function createdLine(
  { task, created }: CreatedTaskView,
  { settings, dir, nowMs }: { readonly settings: readonly SettingView[]; readonly dir: string; readonly nowMs: number },
): string {
  if (!created) {
    const key = onOneLine(task.key ?? '')
    return `T${task.id} exists with the key ${key} (${statusWord(task, nowMs)}): nothing was added. yardmaster show T${task.id}`
  }
  return `T${task.id} ${standing(task, nowMs)} on ${task.board}, lane ${task.lane}. ${whereLine(settings, dir)}${startHint(task)}`
}

function standing(task: TaskView, nowMs: number): string {
  if (task.status === 'todo') return `waits for ${task.open_needs} that it needs,`
  if (task.not_before !== null && Date.parse(task.not_before) > nowMs) {
    return `waits until ${clockTime(task.not_before, nowMs)},`
  }
  return statusWord(task, nowMs)
}

/** Every answer to `add` says which workspace the card got (files-and-cli section 4). */
function whereLine(settings: readonly SettingView[], dir: string): string {
  const where = workspaceWords(settings, dir)
  if (where === undefined) return ''
  return `It works ${where}${where === ownFolder ? ' (--workspace here: in this one)' : ''}.`
}

const ownFolder = 'in a new, empty folder of its own'

/** Where a card works, in words that follow "it works"; undefined for a workspace of a newer hub. */
export function workspaceWords(settings: readonly SettingView[], dir: string): string | undefined {
  const value = settings.find(({ field }) => field === 'workspace')?.value
  if (value === 'here') return `here: ${dir}`
  if (value === 'scratch') return ownFolder
  const folder = typeof value === 'object' && value !== null && 'dir' in value ? value.dir : undefined
  return typeof folder === 'string' ? `in ${folder}` : undefined
}

const startHint = ({ id, status }: TaskView): string =>
  status === 'triage' ? ` Start it: yardmaster ready T${id}` : ''
