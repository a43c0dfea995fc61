import { closeSync, constants, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { openRunFile, withRunDirectory } from './open-run-file.ts'
import { composeRunFiles } from './run-files.ts'

const longestAddressBytes = 256

/**
 * Says in the run directory where the hub answers, for a worker that speaks to it: `http://127.0.0.1:7420` and a line end.
 * Put in place by rename, so that a worker which asks again and again reads the old address or the new one. Writes
 * nothing where it says so already. Throws where the directory is gone: it is not made again.
 */
export function writeHubFile(runDir: string, address: string): void {
  const text = `${address}\n`
  const { hub } = composeRunFiles(runDir)
  if (readText(hub) === text) return
  withRunDirectory(dirname(hub), (directory) => {
    const path = `${directory}/${basename(hub)}`
    const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600, flag: (O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW) as never })
      renameSync(`${path}.new`, path)
    } catch (fault) {
      rmSync(`${path}.new`, { force: true })
      throw fault
    }
  })
}

function readText(path: string): string | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openRunFile(path)
    const buffer = Buffer.alloc(longestAddressBytes)
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, 0))
  } catch {
    return undefined // not there yet, or no file of ours: it is written anew
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
