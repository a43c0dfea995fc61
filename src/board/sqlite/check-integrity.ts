import type { Database } from './database.ts'

/**
 * Rows that a start looks at, at most: measured 4 µs each, so that a start takes about a second longer at worst. What is
 * larger is left to `doctor`.
 */
const mostRows = 250_000

/**
 * SQLite's own words about the first damage; undefined where none was found. The small tables first, as far as `rows`
 * go; an index is compared with its table only by `checkThoroughly`.
 */
export function checkQuickly(db: Database, { rows = mostRows }: { readonly rows?: number } = {}): string | undefined {
  // A row that breaks a rule of the schema is no damage of the file, and the rules cost more than the rest.
  db.script('pragma ignore_check_constraints = on')
  try {
    return checkTables(db, rows)
  } finally {
    db.script('pragma ignore_check_constraints = off')
  }
}

function checkTables(db: Database, rows: number): string | undefined {
  let left = rows
  const tables = readTables(db).map((name) => ({ name, rows: countRows(db, name) }))
  for (const table of tables.sort((a, b) => a.rows - b.rows)) {
    left -= table.rows
    if (left < 0) return undefined
    const found = readVerdict(db, `pragma quick_check('${table.name}')`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The same of everything, indexes included: some seconds for each gigabyte. */
export function checkThoroughly(db: Database): string | undefined {
  return readVerdict(db, 'pragma integrity_check')
}

type Nothing = Record<string, never>

function readTables(db: Database): readonly string[] {
  return db
    .many<Nothing, { name: string }>(`select name from sqlite_schema where type = 'table'`)({})
    .map(({ name }) => name)
}

function countRows(db: Database, table: string): number {
  return db.one<Nothing, { rows: number }>(`select count(*) as rows from "${table}"`)({})?.rows ?? 0
}

/** SQLite answers one row that says ok, or a row for each damage. */
function readVerdict(db: Database, pragma: string): string | undefined {
  const [first] = db.many<Nothing, Readonly<Record<string, string>>>(pragma)({})
  const says = Object.values(first ?? {})[0]
  return says === undefined || says === 'ok' ? undefined : says.replaceAll(/\s+/g, ' ').slice(0, 200)
}
