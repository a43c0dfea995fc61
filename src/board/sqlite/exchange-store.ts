import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { crashPoint, syncToDisk } from '../../kernel/index.ts'
import { freeName, listBeside, stampOf } from './set-aside.ts'

/**
 * Puts a complete store, closed in good order, in the place of the one at `path`, and answers where the old one is kept
 * with its log; null where there was none. A store and its log are two files, which cannot be exchanged in one step: so the
 * new one is first given a name that says it is decided, and whoever opens the store finishes what was cut off after that.
 */
export function exchangeStore({ staged, path, nowMs }: { staged: string; path: string; nowMs: number }): string | null {
  syncToDisk(staged)
  crashPoint('restore.prepared')
  if (!existsSync(path)) {
    putNewInPlace(staged, path)
    return null
  }
  const kept = freeName(`${path}.replaced-${stampOf(nowMs)}`)
  renameSync(staged, `${path}${decided}${kept.slice(`${path}.replaced-`.length)}`)
  syncToDisk(dirname(path))
  crashPoint('restore.decided')
  finishExchange(path)
  return kept
}

/** Finishes an exchange that is decided; nothing where there is none. Each step may have been done before. */
export function finishExchange(path: string): void {
  const fresh = listBeside(path).find((file) => file.startsWith(`${path}${decided}`))
  if (fresh === undefined) return
  const kept = `${path}.replaced-${fresh.slice(`${path}${decided}`.length)}`
  // The log goes first: left alone it would be read into the new store.
  if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${kept}-wal`)
  crashPoint('restore.log_kept')
  if (existsSync(path) && !existsSync(kept)) keepOld(path, kept)
  crashPoint('restore.store_kept')
  putNewInPlace(fresh, path)
  crashPoint('restore.done')
}

const decided = '.restored-'

function keepOld(path: string, kept: string): void {
  try {
    linkSync(path, kept)
  } catch {
    // A file system without links. Whole or not there: a part of it would be taken for all of it.
    copyFileSync(path, `${kept}.unfinished`)
    syncToDisk(`${kept}.unfinished`)
    renameSync(`${kept}.unfinished`, kept)
  }
}

function putNewInPlace(fresh: string, path: string): void {
  for (const rest of ['-wal', '-shm', '.suspect']) rmSync(`${path}${rest}`, { force: true })
  renameSync(fresh, path)
  syncToDisk(dirname(path))
}
