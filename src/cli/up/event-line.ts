import type { EventView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { clockSeconds } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'

/** One line of `up`'s log: when, about which task, what happened. */
export function eventLine(event: EventView, paint: CliDeps['paint']): string {
  const about = event.task === null ? (event.batch === null ? '··' : `B${event.batch}`) : `T${event.task}`
  return `${paint.dim(clockSeconds(event.at))}  ${paint.cyan(about.padEnd(5))}  ${onOneLine(event.text)}`
}
