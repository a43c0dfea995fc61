import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { placeFile, refusesPath, saySystemFault, syncToDisk } from '../kernel/index.ts'
import type { CliDeps } from './command.ts'
import { cliError } from './errors.ts'

/** A file that a person named and that comes to be whole or not at all. */
export interface NewFile {
  write(piece: string | Uint8Array): void
  /** It is whole: from here on it bears its name. */
  keep(): void
  /** Closes it, and takes it away where it was not kept. */
  drop(): void
}

/**
 * Opens a new file (0600), written beside its name first. Nothing is written over, whatever bears the name, now or when it is
 * kept. Throws `CLI_BAD_USE` for a name that is taken or cannot be made, `CLI_FILE_NOT_WRITTEN` for what the disk refuses.
 */
export function openNewFile({ pid }: Pick<CliDeps, 'pid'>, path: string): NewFile {
  const unfinished = `${path}.unfinished-${pid}`
  const descriptor = open(path, unfinished)
  return {
    write: (piece) => orRefused(path, () => writeAll(descriptor, Buffer.from(piece))),
    keep: () =>
      orRefused(path, () => {
        fsyncSync(descriptor)
        if (placeFile(unfinished, path) === 'taken') throw taken(path)
        syncToDisk(dirname(path))
      }),
    drop() {
      closeSync(descriptor)
      rmSync(unfinished, { force: true })
    },
  }
}

function open(path: string, unfinished: string): number {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) throw taken(path)
    rmSync(unfinished, { force: true }) // of a program that had our pid before, and was killed
    return openSync(unfinished, 'wx', 0o600)
  } catch (cause) {
    if (!refusesPath(cause)) throw asTold(path, cause)
    const says = `${path} cannot be written: ${saySystemFault(cause)}`
    throw cliError(
      'CLI_BAD_USE',
      { says, fix: 'name a file in a folder that is there and that you may write to' },
      cause,
    )
  }
}

/** One call may take only a part: of the last page of a full disk it says so at the next one. */
function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
}

const taken = (path: string) =>
  cliError('CLI_BAD_USE', { says: `${path} is there already`, fix: 'name another file; nothing is written over' })

function orRefused(path: string, act: () => void): void {
  try {
    act()
  } catch (cause) {
    throw asTold(path, cause)
  }
}

function asTold(path: string, cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).syscall === undefined) return cause
  return cliError('CLI_FILE_NOT_WRITTEN', { path, why: saySystemFault(cause) }, cause)
}
