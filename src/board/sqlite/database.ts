import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import { type Random, syncToDisk, systemRandom } from '../../kernel/index.ts'
import { boardError } from '../errors.ts'
import { type FileLoss, rememberFile } from './open-file.ts'
import { markSuspect } from './set-aside.ts'
import { isDamage, storeFault } from './store-fault.ts'

/** full: on the disk before the answer (claims, ends, creates, acts of people). normal: survives kill -9, not a power cut. */
export type Durability = 'full' | 'normal'

/** What a statement takes by name. */
export type Params = Readonly<Record<string, string | number | null>>

/**
 * One open store file. Statements are made once from their text and are typed functions from then on; each is
 * prepared at its first use, because a short command uses few of them.
 */
export interface Database {
  /** At most one row. */
  one<P extends Params, Row>(sql: string): (params: P) => Row | undefined
  many<P extends Params, Row>(sql: string): (params: P) => Row[]
  /** Rows changed: 0 is the answer of a lost compare-and-set. */
  change<P extends Params>(sql: string): (params: P) => number
  /** Id of the new row. */
  insert<P extends Params>(sql: string): (params: P) => number
  /** Whole script, for migrations. */
  script(sql: string): void
  /** All or nothing. Never inside another one. */
  write<T>(durability: Durability, work: () => T): T
  /**
   * A part of a `write` that may fail alone: what it wrote is undone and its fault is answered. A fault that ended the whole
   * transaction (SQLite gives up by itself on a full disk or an I/O error) is thrown: then nothing of the `write` remains.
   */
  attempt<T>(work: () => T): Attempt<T>
  /** Somebody removed or replaced the file under our hands; undefined while it is ours. Every `write` looks first. */
  findLoss(): FileLoss | undefined
  /**
   * What is committed at this moment, for reading only, until it is closed; of `:memory:` the database itself, which moves on.
   * Throws `BOARD_REPLACED` where the file is not ours any more.
   */
  snapshot(): Database
  /** Writes a complete copy of what is committed to a new file, by a connection of its own: also beside an open `write`. */
  copy(into: string): void
  /** The same in small steps between which the loop works on, by this connection: what is committed meanwhile is in it. */
  copySlowly(into: string): Promise<void>
  /** The same from what this connection holds: also of a store that was taken away under our hands, not inside a `write`. */
  rescue(into: string): void
  close(): void
}

export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: unknown }

/** Longest wait for another program's write lock, all tries together. */
const longestLockMs = 5_000

/** Opens or creates the file (0600), in WAL mode with foreign keys held. Throws `BOARD_…` errors of the catalogue. */
export function openDatabase(
  { random }: { readonly random: Random },
  path: string,
  { lockedForMs = longestLockMs }: { readonly lockedForMs?: number } = {},
): Database {
  const patience = { random, lockedForMs }
  let raw: SqliteDatabase.Database
  try {
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600))
    raw = new SqliteDatabase(path, { timeout: 0 })
  } catch (cause) {
    throw boardError('BOARD_NOT_OPENED', { path }, cause)
  }
  try {
    patiently(patience, () => raw.pragma('journal_mode = WAL'))
    raw.pragma('foreign_keys = ON')
    raw.pragma('synchronous = NORMAL')
    raw.pragma('temp_store = MEMORY')
    // A batch of 100,000 makes a long log once; it is not kept that long.
    raw.pragma('journal_size_limit = 67108864')
    // Large enough for the upper pages of a board of 100,000 cards, small beside the hub's 90 MB.
    raw.pragma('cache_size = -8000')
  } catch (cause) {
    raw.close()
    throw storeFault(cause, path)
  }
  return wrap(raw, path, patience)
}

/**
 * Opens a file for reading, whoever works with it. Nothing of it changes: a log that another program left stays where it is.
 */
export function openForLooking(path: string): Database {
  // A reader cannot tidy up after itself, so that a store without a log is opened like a writer's: it leaves no side files.
  const readonly = existsSync(`${path}-wal`)
  try {
    const raw = new SqliteDatabase(path, { readonly, fileMustExist: true, timeout: 1_000 })
    return wrap(raw, path, { random: systemRandom, lockedForMs: longestLockMs })
  } catch (cause) {
    throw boardError('BOARD_NOT_OPENED', { path }, cause)
  }
}

/** The version of SQLite in this program. */
export function readEngineVersion(): string {
  const raw = new SqliteDatabase(':memory:')
  try {
    return String(raw.prepare('select sqlite_version()').pluck().get())
  } finally {
    raw.close()
  }
}

function wrap(raw: SqliteDatabase.Database, path: string, patience: Patience): Database {
  let synced: Durability = 'normal'
  const file = path === ':memory:' ? undefined : rememberFile(path)

  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (cause) {
      const fault = storeFault(cause, path)
      if (isDamage(fault) && file !== undefined) markSuspect(path)
      throw fault
    }
  }
  const lazily = (sql: string): (() => SqliteDatabase.Statement) => {
    let statement: SqliteDatabase.Statement | undefined
    return () => {
      statement ??= raw.prepare(sql)
      return statement
    }
  }
  const refuseLost = (): void => {
    const loss = file?.findLoss()
    if (loss !== undefined) throw boardError('BOARD_REPLACED', { path, loss })
  }
  // By its name, under which something else may lie by now.
  const openBeside = (): SqliteDatabase.Database => {
    refuseLost()
    return guarded(() => new SqliteDatabase(path, { readonly: true, timeout: 0 }))
  }
  // `synchronous` cannot change inside a transaction, so it is set before one begins.
  const sync = (durability: Durability): void => {
    if (durability === synced) return
    raw.pragma(durability === 'full' ? 'synchronous = FULL' : 'synchronous = NORMAL')
    synced = durability
  }
  const begin = lazily('begin immediate')
  const commit = lazily('commit')
  const rollback = lazily('rollback')
  // Of several with one name the innermost is meant.
  const savepoint = lazily('savepoint part')
  const release = lazily('release part')
  const undo = lazily('rollback to part')

  return {
    one: <P extends Params, Row>(sql: string) => {
      const statement = lazily(sql)
      return (params: P) => guarded(() => statement().get(params) as Row | undefined)
    },
    many: <P extends Params, Row>(sql: string) => {
      const statement = lazily(sql)
      return (params: P) => guarded(() => statement().all(params) as Row[])
    },
    change: (sql) => {
      const statement = lazily(sql)
      return (params) => guarded(() => statement().run(params).changes)
    },
    insert: (sql) => {
      const statement = lazily(sql)
      return (params) => guarded(() => Number(statement().run(params).lastInsertRowid))
    },
    script: (sql) => guarded(() => void raw.exec(sql)),
    write: (durability, work) => {
      if (raw.inTransaction) throw new Error('a write of the board was asked for inside another one')
      refuseLost()
      guarded(() => {
        sync(durability)
        patiently(patience, () => begin().run())
      })
      try {
        const answer = work()
        guarded(() => commit().run())
        return answer
      } catch (fault) {
        // A full disk may have rolled it back already.
        if (raw.inTransaction) rollback().run()
        throw fault
      }
    },
    attempt: (work) => {
      if (!raw.inTransaction) throw new Error('a part of a write was asked for outside of one')
      guarded(() => savepoint().run())
      try {
        const value = work()
        guarded(() => release().run())
        return { ok: true, value }
      } catch (fault) {
        if (!raw.inTransaction) throw fault
        guarded(() => {
          undo().run()
          release().run()
        })
        return { ok: false, fault }
      }
    },
    findLoss: () => file?.findLoss(),
    copy: (into) => {
      const reader = openBeside()
      try {
        writePrivately(into, () => guarded(() => reader.prepare('vacuum into ?').run(into)))
      } finally {
        reader.close()
      }
    },
    snapshot: () => {
      if (path === ':memory:') return { ...wrap(raw, path, patience), close: () => {} }
      const reader = openBeside()
      try {
        guarded(() => void reader.exec('begin; select 1 from sqlite_schema'))
      } catch (fault) {
        reader.close()
        throw fault
      }
      return wrap(reader, path, patience)
    },
    copySlowly: async (into) => {
      await raw.backup(into)
    },
    rescue: (into) => writePrivately(into, () => guarded(() => raw.prepare('vacuum into ?').run(into))),
    close: () => {
      if (!raw.open) return
      raw.close()
      file?.removeOrphanedLog()
    },
  }
}

interface Patience {
  readonly random: Random
  readonly lockedForMs: number
}

/**
 * Tries again while another program holds the write lock. Our own short random waits, not SQLite's busy handler:
 * that one starves a writer for seconds while another works in a tight loop.
 */
function patiently<T>({ random, lockedForMs }: Patience, work: () => T): T {
  for (let waitedMs = 0; ; ) {
    try {
      return work()
    } catch (fault) {
      if (!isBusy(fault) || waitedMs >= lockedForMs) throw fault
      const ms = 0.1 + random.fraction()
      Atomics.wait(idle, 0, 0, ms)
      waitedMs += ms
    }
  }
}

const idle = new Int32Array(new SharedArrayBuffer(4))

const isBusy = (fault: unknown): boolean =>
  fault instanceof SqliteDatabase.SqliteError && fault.code.startsWith('SQLITE_BUSY')

/**
 * Begins with an empty file (0600), because SQLite would make one that others can read; half a copy does not stay. All of it
 * is on the disk at the end, which `vacuum into` leaves to its caller (https://sqlite.org/lang_vacuum.html).
 */
function writePrivately(into: string, write: () => unknown): void {
  try {
    closeSync(openSync(into, 'wx', 0o600))
  } catch {
    write() // what is wrong with this place is its to say
    return
  }
  try {
    write()
    syncToDisk(into)
  } catch (fault) {
    rmSync(into, { force: true })
    throw fault
  }
}
