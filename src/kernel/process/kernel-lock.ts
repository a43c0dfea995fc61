import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import type BetterSqlite from 'better-sqlite3'
import type { Clock, Random } from '../index.ts'
import { processError } from './errors.ts'

/** Held until released or until this process is gone, however it goes. */
export interface KernelLock {
  /** False once the file under the path is another one: somebody removed it, and a second holder is possible. */
  isStillOurs(): boolean
  release(): void
}

/** What the holder wrote beside the lock. Only for messages: it may be stale, the lock itself never is. */
export interface LockHolder {
  readonly pid: number
  readonly port: number | null
  /** Fingerprint of the process that the pid meant, as text. */
  readonly fingerprint: string | null
  /** Machine id and host name: on another machine the pid means nothing. Null in notes of older programs. */
  readonly machine: string | null
  readonly host: string | null
  /** ISO time, as written. */
  readonly started: string | null
}

export type LockAnswer =
  | { readonly kind: 'held'; readonly lock: KernelLock }
  /** `holder` is undefined when the note is missing or unreadable. */
  | { readonly kind: 'taken'; readonly holder: LockHolder | undefined }

/**
 * Takes the lock of a home: an SQLite file in rollback mode, holding nothing, with an exclusive transaction open for
 * life. The kernel keeps it, so it is free right after kill -9 and works across pid namespaces. Closing any descriptor
 * of the file would drop it, so nothing else in this process may open it. Waits up to `waitMs` for another holder.
 * Throws `PROCESS_LOCK_FAILED` when the file cannot be used at all.
 */
export async function takeKernelLock(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { path, holderPath, waitMs }: { readonly path: string; readonly holderPath: string; readonly waitMs: number },
): Promise<LockAnswer> {
  const { default: Sqlite } = await import('better-sqlite3') // a chat worker shares this door and must not load it
  const untilMs = clock.monotonicMs() + waitMs
  for (;;) {
    const lock = tryLock(Sqlite, path)
    if (lock !== undefined) return { kind: 'held', lock }
    const leftMs = untilMs - clock.monotonicMs()
    if (leftMs <= 0) return { kind: 'taken', holder: readLockHolder(holderPath) }
    await clock.sleep(Math.min(leftMs, 20 + 40 * random.fraction())) // uneven, so that two waiters do not keep step
  }
}

/** The note beside the lock; undefined when there is none that can be read. */
export function readLockHolder(holderPath: string): LockHolder | undefined {
  try {
    const note = JSON.parse(readFileSync(holderPath, 'utf8')) as Record<string, unknown>
    if (typeof note.pid !== 'number') return undefined
    const text = (name: string) => (typeof note[name] === 'string' ? note[name] : null)
    return {
      pid: note.pid,
      port: typeof note.port === 'number' ? note.port : null,
      fingerprint: text('fingerprint'),
      machine: text('machine'),
      host: text('host'),
      started: text('started'),
    }
  } catch {
    return undefined // the holder may be about to write it, or died before it did
  }
}

function tryLock(Sqlite: typeof BetterSqlite, path: string): KernelLock | undefined {
  let file: BetterSqlite.Database | undefined
  try {
    makePrivate(path)
    const opened = new Sqlite(path, { timeout: 0 })
    file = opened
    opened.pragma('journal_mode = memory') // nothing is ever written, so no journal beside it either
    opened.exec('begin exclusive')
    const { ino, dev } = statSync(path)
    return {
      isStillOurs() {
        const now = statSync(path, { throwIfNoEntry: false })
        return now?.ino === ino && now.dev === dev
      },
      release: () => opened.close(),
    }
  } catch (cause) {
    file?.close()
    if ((cause as { code?: string }).code?.startsWith('SQLITE_BUSY')) return undefined
    throw processError('PROCESS_LOCK_FAILED', { path, why: (cause as Error).message }, cause)
  }
}

/** Makes the file (0600) where there is none. One that is there is not opened: closing it would drop a lock that is ours. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It is there, or SQLite says what is wrong with this place.
  }
}
