import type { BoardEvent } from '../../board/index.ts'
import type { EventView } from '../contract/index.ts'
import { isoTime } from './time.ts'

export function viewEvent({ atMs, ...event }: BoardEvent): EventView {
  return { ...event, at: isoTime(atMs) }
}
