import type { Stats } from 'node:fs'
import type { FileRegister, Seen } from '../file-register.ts'
import { resolveInside } from '../inside-workspace.ts'
import { suggestPaths } from '../near-paths.ts'
import { readWhole } from '../open-file.ts'
import { countBytes, decodeText, newline, type TextForm } from '../text-form.ts'
import { sayChangedIfRead } from '../unread.ts'
import { whyGuarded } from '../write-guard.ts'

/** A file that may be changed, as it is now. */
export interface LoadedFile {
  readonly path: string
  readonly shown: string
  readonly stat: Stats
  readonly seen: Seen
  readonly bytes: Buffer
}

/** Why a file cannot be edited; `counts` is what the counters call it. */
export interface Misfit {
  readonly kind: 'misfit'
  readonly says: string
  readonly counts: string
}

export const misfit = (says: string, counts = 'edit_refused'): Misfit => ({ kind: 'misfit', says, counts })

/** After so many edits of a file that did not fit, the model works from memory: it has to read. */
const mostMisfits = 2
export const largestEditedBytes = 8 * 1024 * 1024
/** What has more is data: to look through it would hold up the worker. */
const mostEditedLines = 1_000_000

interface Deps {
  readonly workspace: string
  readonly register: FileRegister
}

/** The real path of a file that may be written, whether it is there or not. */
export async function findPlace(
  { workspace }: Deps,
  asked: string,
): Promise<{ readonly kind: 'place'; readonly path: string; readonly shown: string } | Misfit> {
  const inside = await resolveInside(workspace, asked)
  if (!inside.ok) return misfit(inside.says)
  const guarded = whyGuarded(asked, inside.shown)
  return guarded === undefined ? { kind: 'place', path: inside.path, shown: inside.shown } : misfit(guarded)
}

/** The file at a place. `missing` is no fault here: a file may be there to be added. */
export async function loadFile(
  { workspace, register }: Deps,
  { path, shown }: { readonly path: string; readonly shown: string },
): Promise<({ readonly kind: 'file' } & LoadedFile) | { readonly kind: 'missing'; readonly says: string } | Misfit> {
  const opened = await readWhole(path, largestEditedBytes)
  switch (opened.kind) {
    case 'missing':
      return { kind: 'missing', says: `${shown} is not there${await suggestPaths(workspace, path)}` }
    case 'folder':
      return misfit(`${shown} is a folder, no file`)
    case 'refused':
      return misfit(`${shown} ${opened.says}`)
    case 'file':
      break
  }
  const changed = sayChangedIfRead(register, path, opened.seen)
  if (changed !== undefined) return misfit(`${shown} ${changed}`, 'edit_changed_since_read')
  return { kind: 'file', path, shown, stat: opened.stat, seen: opened.seen, bytes: opened.bytes }
}

/** The text of a file, if it can be edited without harm to bytes that nobody meant. */
export function editableText(
  { register }: Deps,
  { path, shown, bytes }: Pick<LoadedFile, 'path' | 'shown' | 'bytes'>,
): TextForm | Misfit {
  if (register.misfitsOf(path) >= mostMisfits) {
    return misfit(
      `${mostMisfits} edits of ${shown} in a row did not fit: read it before the next one`,
      'edit_read_first',
    )
  }
  if (countBytes(bytes, newline) > mostEditedLines) {
    return misfit(`${shown} has more than ${mostEditedLines} lines; use sed or a script in the terminal`)
  }
  const decoded = decodeText(bytes)
  switch (decoded.kind) {
    case 'text':
      return { text: decoded.text, byteOrderMark: decoded.byteOrderMark }
    case 'binary':
      return misfit(`${shown} ${decoded.says}`)
    case 'lossy':
      return misfit(
        `${shown} holds bytes that are no UTF-8, first in line ${decoded.firstLine}, which an edit would change; use sed or iconv in the terminal`,
      )
  }
}

export const isMisfit = (value: object): value is Misfit => 'kind' in value && value.kind === 'misfit'
