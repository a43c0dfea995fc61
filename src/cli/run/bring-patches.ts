import { closeSync, createWriteStream, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Client } from '../../api/client/index.ts'
import { makeFolder, saySystemFault, systemRandom } from '../../kernel/index.ts'
import { isPatchFileName, renderPatchHeader } from '../patch-files/index.ts'
import { patchFolder, type ReportPatch } from '../report/index.ts'

export interface PatchesInput {
  /** Absolute folder of the report. */
  readonly dir: string
  /** All that belong into it. */
  readonly patches: readonly ReportPatch[]
  readonly signal: AbortSignal
}

/** A patch that is not there, with what the system or the hub said. */
export interface PatchFault {
  readonly file: string
  readonly why: string
}

/**
 * Makes `patches/` of a report hold these patches and no others: each is written whole or not at all, one that is there
 * already is left alone, and files that are none of ours stay. Answers those that could not be written.
 */
export async function bringPatches(
  { client }: { readonly client: Pick<Client, 'patchOf'> },
  { dir, patches, signal }: PatchesInput,
): Promise<readonly PatchFault[]> {
  const faults: PatchFault[] = []
  if (patches.length > 0) makeFolder(join(dir, patchFolder))
  for (const patch of patches) {
    const path = join(dir, patch.file)
    const header = Buffer.from(renderPatchHeader(patch.header))
    if (isThere(path, { header, bytes: patch.bytes })) continue
    try {
      await writeWhole(path, linesOf(header, client.patchOf(patch.header.run, signal)))
    } catch (cause) {
      signal.throwIfAborted()
      faults.push({ file: patch.file, why: saySystemFault(cause) })
    }
  }
  removeOthers(join(dir, patchFolder), new Set(patches.map(({ file }) => join(dir, file))))
  return faults
}

/** The header names the attempt and both commits, so a file that begins with it and is as long holds the same. */
function isThere(path: string, { header, bytes }: { readonly header: Buffer; readonly bytes: number }): boolean {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return false
  }
  try {
    const start = Buffer.alloc(header.length)
    return (
      fstatSync(file).size === header.length + bytes &&
      readSync(file, start, 0, start.length, 0) === start.length &&
      start.equals(header)
    )
  } finally {
    closeSync(file)
  }
}

async function* linesOf(header: Buffer, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield header
  yield* bytes
}

async function writeWhole(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const draft = `${path}.${systemRandom.hex(4)}`
  try {
    await pipeline(bytes, createWriteStream(draft, { flags: 'wx' }))
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

/** Patches that do not belong here any more, and drafts that a kill has left. */
function removeOthers(folder: string, kept: ReadonlySet<string>): void {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    return // there never were any
  }
  for (const name of names) {
    const isOurs = isPatchFileName(name) || isPatchFileName(name.replace(/\.[0-9a-f]{8}$/, ''))
    if (isOurs && !kept.has(join(folder, name))) rmSync(join(folder, name), { force: true })
  }
}
