import type { EventView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { clockSeconds } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'

/** One line of `up`'s log: when, and what happened. */
export function eventLine(event: EventView, paint: CliDeps['paint']): string {
  return `${paint.dim(clockSeconds(event.at))}  ${onOneLine(event.text)}`
}
