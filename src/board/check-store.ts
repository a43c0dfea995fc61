import { existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { describeSize, shellWord, YardError } from '../kernel/index.ts'
import { checkThoroughly } from './sqlite/check-integrity.ts'
import { type Database, openForLooking, readEngineVersion } from './sqlite/database.ts'
import { findEngineFault } from './sqlite/engine-faults.ts'
import { readVersion, refuseForeignStore } from './sqlite/migrate.ts'
import { migrations } from './sqlite/migrations/list.ts'
import { findNewestBackup, findSetAside, listBeside } from './sqlite/set-aside.ts'

/** One thing that was looked at in a store. `says` is a fact with its value; `fix` what to do, null where there is nothing. */
export interface StoreFinding {
  readonly name: 'store' | 'store log' | 'store copies' | 'SQLite'
  /** warn: it works, with something to know. bad: nothing starts, or soon nothing does, until it is mended. */
  readonly state: 'ok' | 'warn' | 'bad'
  readonly says: string
  readonly fix: string | null
}

/** A log beyond this was not moved into the store for long: some program reads without end, or the disk is failing. */
const longLogBytes = 256 * 1024 ** 2

const known = migrations.at(-1)?.number ?? 0

/**
 * Looks through a store, indexes included (a second or so for each 100,000 cards), also while a hub works with it. Changes
 * nothing. Where the store lies and how much room is left is not looked at here.
 */
export function checkStore(path: string): readonly StoreFinding[] {
  return [checkFile(path), checkLog(path), ...checkCopies(path), checkEngine()]
}

function checkFile(path: string): StoreFinding {
  const name = 'store'
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    const aside = findSetAside(path)
    if (aside === undefined) return { name, state: 'ok', says: 'none yet', fix: null }
    const says = `${path} is missing; what it held is kept as ${aside}`
    return {
      name,
      state: 'bad',
      says,
      fix: `yardmaster restore ${aside.includes('.rescued-') ? shellWord(aside) : backupOf(path)}`,
    }
  }
  let db: Database | undefined
  try {
    db = openForLooking(path)
    refuseForeignStore(db, path, known)
    const version = readVersion(db)
    const damage = checkThoroughly(db)
    if (damage !== undefined) return damaged(path, damage)
    const says = `${path}, version ${version}, ${describeSize(found.size)}, sound`
    if (version === known) return { name, state: 'ok', says, fix: null }
    const fix = `the next start brings it to version ${known}, with a copy of it beside`
    return { name, state: 'warn', says, fix }
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    if (fault.code === 'BOARD_DAMAGED') return damaged(path, String(fault.values.code))
    return { name, state: 'bad', says: fault.message, fix: fault.fix }
  } finally {
    db?.close()
  }
}

/** As a command takes it. */
const backupOf = (path: string): string => shellWord(findNewestBackup(path) ?? 'FILE')

function damaged(path: string, what: string): StoreFinding {
  const fix = `stop the hub (yardmaster down waits for what runs; kill -TERM and its pid lets that live on) and put a backup in its place: yardmaster restore ${backupOf(path)}`
  return { name: 'store', state: 'bad', says: `${path} is damaged: ${what}`, fix }
}

function checkLog(path: string): StoreFinding {
  const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const says = bytes === 0 ? 'empty' : describeSize(bytes)
  if (bytes <= longLogBytes) return { name: 'store log', state: 'ok', says, fix: null }
  const fix = `another program may be reading ${path} without end; close it, or restart the hub: yardmaster up --replace`
  return { name: 'store log', state: 'warn', says: `${says} wait to be moved into the store`, fix }
}

/** Copies of before an upgrade, and stores that were damaged or taken away. */
function checkCopies(path: string): readonly StoreFinding[] {
  const beside = listBeside(path).filter((file) => !/-(?:wal|shm)(?:-\d+)?$/.test(file))
  const lost = beside.filter((file) => /\.(?:damaged|rescued|replaced)-/.test(file))
  const copies = beside.filter((file) => /\.before-\d+$/.test(file))
  const name = 'store copies'
  const say = (files: readonly string[]) =>
    files.map((file) => `${basename(file)} (${describeSize(statSync(file).size)})`).join(', ')
  return [
    ...(copies.length === 0
      ? []
      : [{ name, state: 'ok', says: `of before an upgrade: ${say(copies)}`, fix: null } as const]),
    ...(lost.length === 0 || !existsSync(path)
      ? []
      : [
          {
            name,
            state: 'warn',
            says: `of a store that was damaged, taken away or replaced: ${say(lost)}`,
            fix: 'look whether anything of them is missed, then remove them',
          } as const,
        ]),
  ]
}

function checkEngine(): StoreFinding {
  const version = readEngineVersion()
  const why = findEngineFault(version)
  if (why === undefined) return { name: 'SQLite', state: 'ok', says: version, fix: null }
  const fix = 'install yardmaster again with the better-sqlite3 that it names, without overrides'
  return { name: 'SQLite', state: 'bad', says: `${version} ${why}`, fix }
}
