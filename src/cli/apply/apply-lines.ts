import type { Applied } from '../../main.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import type { ChosenPatches } from './choose-patches.ts'
import type { FoundPatches } from './found-patch.ts'

export interface ApplyLook {
  readonly applied: Applied
  readonly chosen: ChosenPatches
  readonly faults: readonly string[]
  readonly from: FoundPatches['from']
}

/** What became of the patches, first in one line that a log is searched for, then what needs a look. */
export function applyLines({ applied, chosen, faults, from }: ApplyLook): readonly string[] {
  const { onto, conflicts, strangers, broken, check, branch, there } = applied
  const { notDone, notChecked } = chosen.leftOut
  const parts = [
    ...(applied.applied.length > 0 || there.length === 0 ? [appliedWords(applied)] : []),
    ...(there.length > 0 ? [`${there.length} already there`] : []),
    ...byFiles(conflicts).map(
      ({ files, tasks }) =>
        `${tasks.length} ${tasks.length === 1 ? 'conflicts' : 'conflict'} (${files}): ${names(tasks)}`,
    ),
    ...(strangers.length > 0
      ? [`${strangers.length} of another repository: ${names(strangers.map(({ task }) => task))}`]
      : []),
    ...(broken.length > 0 ? [`${broken.length} broken: ${names(broken.map(({ task }) => task))}`] : []),
    ...(check === null ? [] : [`${onOneLine(check.command)}: ${check.says}`]),
  ]
  const lines = [`apply: ${count(chosen.chosen.length, 'patch', 'patches')} onto ${onto}: ${parts.join(' · ')}`]
  if (notDone.length > 0) lines.push(`Left out, because they are not done: ${names(notDone)}`)
  if (notChecked.length > 0) lines.push(`Left out, because no check has passed on them: ${names(notChecked)}`)
  for (const { task, why } of broken) lines.push(`T${task} is no whole patch: ${onOneLine(why)}`)
  for (const fault of faults) lines.push(`Left out: ${fault}`)
  if (strangers[0] !== undefined) {
    lines.push(
      `This repository does not have the commit ${strangers[0].baseCommit.slice(0, 10)} that T${strangers[0].task} is against: git fetch --unshallow, or say it in the repository of that task`,
    )
  }
  if (isRefused(applied)) lines.push(`${onto} was not ${applied.commit === null ? 'made' : 'touched'}.`)
  const next = nextOf(applied, from)
  return next === undefined || branch === 'untouched' ? lines : [...lines, `Next: ${next}`]
}

/** Its check did not pass on the result, so no branch has it. */
const isRefused = ({ check }: Applied): boolean => check !== null && check.exitCode !== 0

const appliedWords = (applied: Applied): string =>
  isRefused(applied) ? `${applied.applied.length} would apply` : `${applied.applied.length} applied, one commit each`

const mostNames = 20
const mostFiles = 3

const names = (tasks: readonly number[]): string =>
  `${tasks
    .slice(0, mostNames)
    .map((task) => `T${task}`)
    .join(' ')}${tasks.length > mostNames ? ` and ${tasks.length - mostNames} more` : ''}`

/** Tasks that fail for the same files are one line's worth. */
function byFiles(
  conflicts: Applied['conflicts'],
): readonly { readonly files: string; readonly tasks: readonly number[] }[] {
  const groups = new Map<string, number[]>()
  for (const { task, files } of conflicts) {
    const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : ''
    const key = `${files.slice(0, mostFiles).map(onOneLine).join(', ')}${more}`
    groups.set(key, [...(groups.get(key) ?? []), task])
  }
  return [...groups].map(([files, tasks]) => ({ files, tasks }))
}

function nextOf({ onto, conflicts }: Applied, from: FoundPatches['from']): string | undefined {
  const [first] = conflicts
  return first === undefined || from === 'folder'
    ? `git log ${onto}`
    : `yardmaster retry T${first.task} "it conflicts with ${onto}"`
}
