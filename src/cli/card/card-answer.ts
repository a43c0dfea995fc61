import type { CreatedTaskView, HealthView, SettingView, TaskView, WhyView } from '../../api/contract/index.ts'
import { isFields, shellWord } from '../../kernel/index.ts'
import { withoutName } from '../list/list-lines.ts'
import { clockTime } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { count, statusWord } from '../render/words.ts'
import type { DescribedRepository } from './describe-repository.ts'

/** What `add` answers: what became of the card, who works on it and where, or who holds its key already. */
export function createdLine({ task, created }: CreatedTaskView, { settings, nowMs, ...where }: CreatedWhere): string {
  if (!created) {
    const key = onOneLine(task.key ?? '')
    return `T${task.id} exists with the key ${key} (${statusWord(task, nowMs)}): nothing was added. yardmaster show T${task.id}`
  }
  const check = checkWords(settings)
  const judged = check === undefined ? '' : `, check ${check}`
  return `T${task.id} ${standing(task, nowMs)} on ${task.board}, lane ${task.lane}${judged}. ${whereLine(settings, where)}${startHint(task)}`
}

interface CreatedWhere {
  readonly settings: readonly SettingView[]
  readonly dir: string
  readonly userHome: string | undefined
  readonly repository: DescribedRepository | undefined
  readonly nowMs: number
}

/** The command that says whether the work counts, on one line; undefined where there is none. */
export function checkWords(settings: readonly SettingView[]): string | undefined {
  const value = settings.find(({ field }) => field === 'check')?.value
  const run = isFields(value) ? value.run : value
  if (run === 'none' && value === run) return undefined
  if (Array.isArray(run)) return onOneLine(run.map((word) => shellWord(String(word))).join(' '))
  return typeof run === 'string' ? onOneLine(run) : undefined
}

function standing(task: TaskView, nowMs: number): string {
  if (task.status === 'todo') return `waits for ${count(task.open_needs, 'task')} that it needs,`
  if (task.not_before !== null && Date.parse(task.not_before) > nowMs) {
    return `waits until ${clockTime(task.not_before, nowMs)},`
  }
  return statusWord(task, nowMs)
}

/** Every answer to `add` says which workspace the card got (files-and-cli section 4). */
function whereLine(settings: readonly SettingView[], place: Omit<CreatedWhere, 'settings' | 'nowMs'>): string {
  const worktree = worktreeWords(settings, place)
  if (worktree !== undefined) return `Worktree of ${worktree}.`
  const where = workspaceWords(settings, place.dir)
  if (where === undefined) return ''
  return `It works ${where}${where === ownFolder ? ' (--workspace here: in this one)' : ''}.`
}

/** `~/code/shop at main@4f1c2aa (3 uncommitted files are not in it)`; undefined for what works in no worktree. */
function worktreeWords(
  settings: readonly SettingView[],
  { userHome, repository }: Pick<CreatedWhere, 'userHome' | 'repository'>,
): string | undefined {
  const workspace = settings.find(({ field }) => field === 'workspace')?.value
  if (!isFields(workspace) || typeof workspace.repo !== 'string') return undefined
  const { repo, ref } = workspace
  const from = repository?.head ?? (typeof ref === 'string' ? ref : undefined)
  const files = repository?.uncommittedFiles ?? 0
  const left = files === 0 ? '' : ` (${count(files, 'uncommitted file')} ${files === 1 ? 'is' : 'are'} not in it)`
  return `${onOneLine(withTilde(repo, userHome))}${from === undefined ? '' : ` at ${onOneLine(from)}`}${left}`
}

const withTilde = (path: string, userHome: string | undefined): string =>
  userHome !== undefined && userHome !== '' && path.startsWith(`${userHome}/`)
    ? `~${path.slice(userHome.length)}`
    : path

const ownFolder = 'in a new, empty folder of its own'

const nowhere = { userHome: undefined, repository: undefined } as const

/** Where a card works, in words that follow "it works"; undefined for a workspace of a newer hub. */
export function workspaceWords(settings: readonly SettingView[], dir: string): string | undefined {
  const value = settings.find(({ field }) => field === 'workspace')?.value
  if (value === 'here') return `here: ${onOneLine(dir)}`
  if (value === 'scratch') return ownFolder
  if (!isFields(value)) return undefined
  if (typeof value.repo === 'string') return `in a worktree of ${worktreeWords(settings, nowhere)}`
  return typeof value.dir === 'string' ? `in ${onOneLine(value.dir)}` : undefined
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
