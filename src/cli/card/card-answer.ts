import type { CreatedTaskView, HealthView, SettingView, TaskView, WhyView } from '../../api/contract/index.ts'
import { withoutName } from '../list/list-lines.ts'
import { clockTime } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { count, statusWord } from '../render/words.ts'

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
  if (task.status === 'todo') return `waits for ${count(task.open_needs, 'task')} that it needs,`
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
  if (value === 'here') return `here: ${onOneLine(dir)}`
  if (value === 'scratch') return ownFolder
  const folder = typeof value === 'object' && value !== null && 'dir' in value ? value.dir : undefined
  return typeof folder === 'string' ? `in ${onOneLine(folder)}` : undefined
}

const startHint = ({ id, status }: TaskView): string =>
  status === 'triage' ? ` Start it: yardmaster ready T${id}` : ''

/** Reasons that a person has to end, or that last longer than other tasks do. */
const lasting: readonly string[] = ['paused', 'draining', 'account_held', 'account_parked', 'lane_unknown']

/**
 * Why a card that was just added as ready does not start, and what changes that; undefined where it only has to wait
 * for its turn. `why` is absent where no hub is up.
 */
export function obstacleLine(
  { status, lane }: TaskView,
  { lanes, why }: { readonly lanes: HealthView['lanes']; readonly why: WhyView | undefined },
): string | undefined {
  if (status !== 'ready') return undefined
  const missing = lanes.find(({ name, ready }) => name === lane && !ready)
  if (missing !== undefined) return `Lane ${lane} cannot start it yet: ${onOneLine(missing.says)}`
  if (why === undefined || !lasting.includes(why.code)) return undefined
  const [command] = why.you_can
  return `It does not start yet: ${onOneLine(withoutName(why.says))}.${command === undefined ? '' : ` ${command}`}`
}
