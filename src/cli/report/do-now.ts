import { goesOnBy } from '../goes-on-by.ts'
import type { ReportRow, ReportTask } from './report-row.ts'

/** One thing for a person to do, with the command that does it. */
export interface DoNow {
  /** null: it is about the whole batch. */
  readonly task: number | null
  readonly key: string | null
  /** How many more tasks the same command lets go on. */
  readonly more: number
  readonly says: string
  readonly command: string
}

/** What needs a person, with what lets it go on. */
export function doNowOf(task: ReportTask, row: ReportRow): readonly DoNow[] {
  if (row.end === 'needs_you') {
    const says = row.why === '' ? row.code : row.why
    return [{ task: task.id, key: row.key, more: 0, says, command: goesOnBy(task) }]
  }
  if (row.end === 'not_finished' && task.why !== null && waitsForPerson.includes(task.why.code)) {
    const [command = `yardmaster why T${task.id}`] = task.why.you_can
    return [{ task: task.id, key: row.key, more: 0, says: row.why, command }]
  }
  return []
}

/** Reasons of not running that no time and no event ends. */
const waitsForPerson = ['draft', 'account_parked', 'lane_unknown', 'paused']

/** A hundred tasks of one parked account are one thing to do. */
export function oncePerCommand(all: readonly DoNow[]): readonly DoNow[] {
  const byCommand = new Map<string, DoNow>()
  for (const one of all) {
    const first = byCommand.get(one.command)
    byCommand.set(one.command, first === undefined ? one : { ...first, more: first.more + 1 })
  }
  return [...byCommand.values()]
}
