import { checkStore } from '../../board/index.ts'
import type { Home } from '../home.ts'
import type { FoundHub } from '../hub-options.ts'
import { findMissingStore } from '../missing-store.ts'
import type { Check } from './check.ts'

/** The store, read through while a hub may be working with it. Not in the hub's own process: that would drop its locks. */
export function checkStoreFile({ path, store }: Home, hub: Pick<FoundHub, 'pid'> | undefined): readonly Check[] {
  if (hub?.pid === process.pid) return []
  const missing = findMissingStore({ path, store })
  return checkStore(store).map((check) =>
    check.name === 'store' && missing !== undefined
      ? { name: check.name, state: 'bad', says: missing.message, fix: missing.fix }
      : check,
  )
}
