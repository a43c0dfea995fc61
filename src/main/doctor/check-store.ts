import { checkStore } from '../../board/index.ts'
import type { Home } from '../home.ts'
import type { FoundHub } from '../hub-options.ts'
import type { Check } from './check.ts'

/** The store, read through while a hub may be working with it. Not in the hub's own process: that would drop its locks. */
export function checkStoreFile({ store }: Home, hub: Pick<FoundHub, 'pid'> | undefined): readonly Check[] {
  if (hub?.pid === process.pid) return []
  return checkStore(store)
}
