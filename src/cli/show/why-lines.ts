import type { WhyView } from '../../api/contract/index.ts'
import { withoutName } from '../list/list-lines.ts'
import { labelled } from '../render/labelled.ts'
import { clockTime, clockTimeAndWait } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import type { ShowLook } from './run-lines.ts'

/** Why one task is not running: the sentence with its code, since when, what follows, what would change it. */
export function whyLines(why: WhyView, look: ShowLook): readonly string[] {
  const { nowMs, paint } = look
  return [
    `${onOneLine(why.says)}  ${paint.dim(`[${why.code}]`)}`,
    ...labelled(look, 'since', why.since === null ? undefined : clockTime(why.since, nowMs)),
    ...labelled(look, 'until', why.until === null ? undefined : clockTimeAndWait(why.until, nowMs)),
    ...labelled(look, 'then', why.then === null ? undefined : onOneLine(why.then)),
    ...labelled(look, 'you can', why.you_can.length === 0 ? undefined : why.you_can.join(' · ')),
  ]
}

/** Most ids that one line names. */
const namedIds = 6

/** Why the tasks of a board wait, the same reasons together. */
export function whyGroups(whys: readonly WhyView[], { paint }: ShowLook): readonly string[] {
  const groups = new Map<string, [WhyView, ...WhyView[]]>()
  for (const why of whys) {
    const key = `${why.code}\n${reasonOf(why)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [why])
    else group.push(why)
  }
  return [...groups.values()].map((group) => {
    const [first] = group
    const ids = group.slice(0, namedIds).map((why) => `T${why.task}`)
    const more = group.length > namedIds ? ` and ${group.length - namedIds} more` : ''
    return `${paint.cyan(ids.join(' '))}${more}  ${reasonOf(first)}  ${paint.dim(`[${first.code}]`)}`
  })
}

const reasonOf = ({ says }: WhyView): string => onOneLine(withoutName(says))
