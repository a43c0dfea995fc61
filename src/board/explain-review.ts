import { formatTaskId } from '../kernel/index.ts'
import type { Explanation } from './explain.ts'
import type { StoredTask } from './stored-task.ts'

/** A card that waits for its reviewer lane: told as one that is ready for that lane, with what a person may say instead. */
export function explainLaneReview({ id, reviewLane }: StoredTask, waits: Explanation): Explanation {
  const name = formatTaskId(id)
  const says = waits.says
    .replace(`${name} does not run: `, `${name} waits for its review by lane ${reviewLane}: `)
    .replace('it starts as soon as', `lane ${reviewLane} reviews it as soon as`)
  // Neither another lane for the author nor another attempt of it would change anything.
  const others = waits.youCan.filter((line) => !/^yardmaster (?:edit|retry) /.test(line))
  return { ...waits, says, youCan: [...verdicts(name), ...others] }
}

/** What a person may say of a card that is under review. */
export const verdicts = (name: string): readonly string[] => [
  `yardmaster approve ${name}`,
  `yardmaster reject ${name} "…"`,
]
