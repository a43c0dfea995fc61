import fs from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { cutAtWord, saySystemFault } from '../../../kernel/index.ts'

export type Inside =
  | { readonly ok: true; readonly path: string; readonly shown: string }
  | { readonly ok: false; readonly says: string }

/** As long as Linux takes them. */
const longestPathBytes = 4_095

/**
 * Where a path really leads, links followed, if that is inside the workspace. What does not exist yet is judged by its
 * nearest existing folder. `workspace` is a real path itself; one that has vanished, or is another folder by now, holds
 * nothing any more. Whatever the system says against the path is told, never thrown.
 */
export async function resolveInside(workspace: string, path: string): Promise<Inside> {
  if (path.includes('\0')) return { ok: false, says: 'the path holds a zero byte' }
  const bytes = Buffer.byteLength(path)
  if (bytes > longestPathBytes) {
    return { ok: false, says: `the path has ${bytes} bytes, and the system takes ${longestPathBytes}` }
  }
  if (/^~\w*(?:\/|$)/.test(path) && !fs.existsSync(join(workspace, path.split('/')[0] ?? ''))) {
    return {
      ok: false,
      says: `${brief(path)}: only a shell takes ~ for the home, and that is outside the workspace ${workspace}`,
    }
  }
  const here = await fs.promises.realpath(workspace).catch(() => undefined)
  if (here !== workspace) {
    return { ok: false, says: `the folder ${workspace} is gone; there is nothing left to work on, so say that and end` }
  }
  try {
    const real = await realPathOf(resolve(workspace, path))
    const shown = relative(workspace, real)
    if (shown === '..' || shown.startsWith('../') || isAbsolute(shown)) {
      return { ok: false, says: `${path} leads to ${real}, which is outside the workspace ${workspace}` }
    }
    return { ok: true, path: real, shown: shown === '' ? '.' : shown }
  } catch (fault) {
    return { ok: false, says: `${brief(path)} cannot be followed (${saySystemFault(fault)})` }
  }
}

/** Folders besides the workspace that may be read, by the whole path of what lies in them. */
export interface ReadablePlaces {
  readonly workspace: string
  readonly given?: string | undefined
  readonly outputs?: (() => string | undefined) | undefined
}

/** The same for reading: what people gave with the task may be read, too, and the whole of outputs that were cut. */
export async function resolveReadable({ workspace, given, outputs }: ReadablePlaces, path: string): Promise<Inside> {
  const inside = await resolveInside(workspace, path)
  if (inside.ok || !isAbsolute(path)) return inside
  for (const place of [given, outputs?.()]) {
    const among = place === undefined ? inside : await resolveInside(place, path)
    if (place !== undefined && among.ok) return { ...among, shown: join(place, among.shown) }
  }
  return inside
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await fs.promises.realpath(path)
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    const parent = dirname(path)
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || parent === path) throw fault
    const realParent = await realPathOf(parent)
    const target = await fs.promises.readlink(path).catch(() => undefined) // a link that points at nothing yet
    return target === undefined ? join(realParent, basename(path)) : await realPathOf(resolve(realParent, target))
  }
}

const brief = (path: string): string => (path.length <= 200 ? path : `${cutAtWord(path, 200)}…`)
