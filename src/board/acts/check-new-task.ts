import { namePattern } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import type { TaskSpec } from '../task.ts'
import type { Work } from '../work.ts'

const name = new RegExp(namePattern)

/** Refuses a name that no board, lane or account can have. */
export function checkName(what: string, text: string): void {
  if (!name.test(text)) throw boardError('BOARD_BAD_NAME', { what, name: text })
}

/** Refuses a lane that is not configured. Nothing is refused before limits were ever handed in. */
export function checkLane({ store }: Pick<Work, 'store'>, lane: string): void {
  checkName('lane', lane)
  if (store.readYard({})?.revision === 0) return
  const lanes = store.readLanes({}).map((known) => known.name)
  if (!lanes.includes(lane)) throw boardError('BOARD_UNKNOWN_LANE', { lane, known: lanes })
}

/** A card says what it does in exactly one way, and has a title. */
export function checkSpec({ title, prompt, run }: TaskSpec): 'prompt' | 'run' {
  if (title === '') throw boardError('BOARD_TASK_UNTITLED', {})
  if (prompt !== undefined && run !== undefined) throw boardError('BOARD_TASK_DOUBLE', { title })
  if (prompt !== undefined) return 'prompt'
  if (run !== undefined) return 'run'
  throw boardError('BOARD_TASK_EMPTY', { title })
}

export function checkPriority(priority: number): number {
  if (!Number.isInteger(priority) || priority < -9 || priority > 9) throw boardError('BOARD_BAD_PRIORITY', { priority })
  return priority
}
