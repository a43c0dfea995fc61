import type { Run } from './run.ts'
import type { Store } from './sqlite/store.ts'

/** See `Board.hostElsewhere`. */
export function hostElsewhere(
  store: Pick<Store, 'hostElsewhere'>,
  { machine, hub }: Pick<Run, 'machine' | 'hub'>,
): string | null {
  return machine === null ? null : (store.hostElsewhere({ machine, hub })?.host ?? null)
}
