import { refuseForeignFile } from './sqlite/migrate.ts'
import { migrations } from './sqlite/migrations/list.ts'

/**
 * Throws what `openBoard` would throw of a file of a newer program, or of one that is no board, by its header only: another
 * hub may be working it.
 */
export function refuseUnknownStore(path: string): void {
  refuseForeignFile(path, migrations.at(-1)?.number ?? 0)
}
