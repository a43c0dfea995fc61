import { existsSync } from 'node:fs'
import { refuseUnknownStore } from '../../board/index.ts'
import type { Home } from '../home.ts'
import { type Check, ok } from './check.ts'

/** The file with everything that is known, as far as it can be looked at beside a hub. */
export function checkStoreFile({ store }: Home): readonly Check[] {
  if (!existsSync(store)) return [ok('store', 'none yet')]
  refuseUnknownStore(store)
  return [ok('store', store)]
}
