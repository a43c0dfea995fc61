import { closeSync, readSync, writeFileSync } from 'node:fs'
import { openRunFile } from './open-run-file.ts'
import { replaceRunFile } from './replace-run-file.ts'
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
  replaceRunFile(hub, (descriptor) => writeFileSync(descriptor, text))
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
