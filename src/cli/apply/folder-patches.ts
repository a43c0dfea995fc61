import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { parsePatchHeader, renderPatchHeader } from '../patch-files/index.ts'
import { onOneLine } from '../render/visible.ts'
import { patchFolder } from '../report/report-patches.ts'
import type { FoundPatch, FoundPatches } from './found-patch.ts'

/** A header is a dozen lines. */
const mostHeaderBytes = 64 * 1024

/** Whether patches are to be looked for in this folder: one of a report, or its `patches`; a bare folder may be named like a batch. */
export function isPatchFolder(path: string): boolean {
  if ([join(path, patchFolder), path].some((folder) => listPatchFiles(folder).length > 0)) return true
  return existsSync(join(path, 'report.json'))
}

/** The patches of a report folder, by what stands above each. They may come from anywhere: none is trusted to be one. */
export function findFolderPatches(path: string): FoundPatches {
  const below = join(path, patchFolder)
  const folder = listPatchFiles(below).length > 0 ? below : path
  const patches: FoundPatch[] = []
  const faults: string[] = []
  for (const name of listPatchFiles(folder)) {
    const file = join(folder, name)
    const header = lstatSync(file).isFile() ? parsePatchHeader(readStart(file)) : undefined
    if (header === undefined) {
      faults.push(`${onOneLine(name)} is no patch of ours`)
      continue
    }
    const { task, run, title, baseCommit, outcome, checked, bytes } = header
    if (lstatSync(file).size < Buffer.byteLength(renderPatchHeader(header)) + bytes) {
      faults.push(`${onOneLine(name)} was cut: it has fewer bytes than it says`)
      continue
    }
    patches.push({ task, run, title, baseCommit, outcome, checked, named: false, file: async () => file })
  }
  return { from: 'folder', patches, faults }
}

function listPatchFiles(folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .sort()
}

function readStart(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(mostHeaderBytes)
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, mostHeaderBytes, 0))
  } finally {
    closeSync(descriptor)
  }
}
