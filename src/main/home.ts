import {
  accessSync,
  chmodSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../kernel/index.ts'
import { mainError } from './errors.ts'

/** What lies where in a home. Absolute paths. */
export interface Home {
  readonly path: string
  readonly store: string
  /** Held for life by the one process that works here; opened by nobody else (design section 6). */
  readonly lock: string
  /** Pid, port and start of the hub: only for messages and for finding it, never a proof. */
  readonly note: string
  readonly token: string
  /** The port that was bound last, so that the address stays. */
  readonly port: string
  /** Stands for the machine where the system has no id of its own. */
  readonly machine: string
  /** The pair of original and copy that a start has told of last (say-copy). */
  readonly copy: string
  readonly log: string
}

/** The layout of a home; looks at nothing. */
export function composeHome(path: string): Home {
  return {
    path,
    store: join(path, 'yard.db'),
    lock: join(path, 'lock.db'),
    note: join(path, 'hub.json'),
    token: join(path, 'token'),
    port: join(path, 'port'),
    machine: join(path, 'machine-id'),
    copy: join(path, 'copied-from'),
    log: join(path, 'log', 'hub.log'),
  }
}

/**
 * Makes a home with its folders, all 0700, or takes an existing one back into our own hands only: secrets, prompts and
 * raw logs lie here. Answers it by its real path. Throws `MAIN_HOME_UNUSABLE`.
 */
export function makeHome(path: string): Home {
  try {
    makeFolder(path, 0o700)
    const home = composeHome(realpathSync(path))
    if ((statSync(home.path).mode & 0o077) !== 0) chmodSync(home.path, 0o700)
    accessSync(home.path, constants.W_OK) // asked of the disk too: one that only reads would fail us at every file
    for (const folder of ['runs', 'workspaces', 'log']) makeFolder(join(home.path, folder), 0o700)
    return home
  } catch (cause) {
    throw mainError('MAIN_HOME_UNUSABLE', { home: path, why: (cause as Error).message }, cause)
  }
}

/** The port of the last start; the usual one of `up` before there was any. */
export function readKeptPort(home: Home): number | undefined {
  try {
    const port = Number(readFileSync(home.port, 'utf8').trim())
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
  } catch {
    return undefined // the first start, or a file that says nothing: any free port will do
  }
}

export function keepPort(home: Home, port: number): void {
  if (readKeptPort(home) !== port) writeByRename(home.port, `${port}\n`)
}

/** Original and copy, a line each, that were told of; undefined where nothing was. */
export function readSaidCopy({ copy }: Pick<Home, 'copy'>): string | undefined {
  try {
    return readFileSync(copy, 'utf8').trim()
  } catch {
    return undefined
  }
}

export function keepSaidCopy({ copy }: Pick<Home, 'copy'>, pair: string): void {
  writeByRename(copy, `${pair}\n`)
}

/** What the hub tells about itself. `fingerprint` says which process the pid meant. */
export interface HubNote {
  readonly pid: number
  readonly port: number
  readonly fingerprint: string
  /** See kernel/process `Machine`: a pid says nothing on another one. */
  readonly machine: string
  readonly host: string
  readonly started: string
}

export function writeHubNote(home: Home, note: HubNote): void {
  writeByRename(home.note, `${JSON.stringify(note, null, 2)}\n`)
}

export function removeHubNote(home: Home): void {
  rmSync(home.note, { force: true })
}

/** Readers see the old text or the new one, never half of it. */
function writeByRename(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
