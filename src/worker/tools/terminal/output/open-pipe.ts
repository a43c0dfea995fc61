import { closeSync, constants, openSync, rmdirSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { makeFolder, systemRandom } from '../../../../kernel/index.ts'

/** A pipe as a shell makes one: `reader` is ours, `writer` is for what is started. */
export interface OutputPipe {
  readonly reader: Socket
  readonly writer: number
  /** Ours is not needed any more once the command has its own. */
  closeWriter(): void
}

const makeWithinMs = 5_000

/**
 * What Node calls a pipe is a socket, and the system opens no socket by its name: `> /dev/stderr` and `tee /dev/stdout` of a script
 * would fail, and their words be lost. So one is made in `folder` and opened, and its name is gone before anything is started.
 * Undefined where none can be made (no `mkfifo`, a full disk): then a socket has to do.
 */
export async function openPipe({
  folder,
  env,
}: {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}): Promise<OutputPipe | undefined> {
  const name = join(folder, `pipe-${systemRandom.hex(4)}`)
  let reader: number | undefined
  try {
    makeFolder(folder, 0o700)
    const options = { env, extendEnv: false, stdin: 'ignore', timeout: makeWithinMs } as const
    await execa('mkfifo', ['-m', '600', name], options)
    reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const writer = openSync(name, constants.O_WRONLY | constants.O_NOFOLLOW) // with a reader there it waits for nobody
    const pipe = { reader: new Socket({ fd: reader, readable: true, writable: false }), writer }
    return { ...pipe, closeWriter: () => closeSync(writer) }
  } catch {
    if (reader !== undefined) closeSync(reader)
    return undefined // a socket has to do
  } finally {
    removeQuietly(folder, name)
  }
}

/** The folder goes along where nothing else is in it. */
function removeQuietly(folder: string, name: string): void {
  try {
    rmSync(name, { force: true })
    rmdirSync(folder)
  } catch {
    // it was not made, or holds whole outputs
  }
}
