import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'

/** Where a command lies, or why it cannot be started. */
export type FoundProgram =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'not_found' }
  /** The first of that name, which is a directory or not executable for us. */
  | { readonly kind: 'not_executable'; readonly path: string }

/**
 * Finds `name` as a shell started in `cwd` with that PATH would: with a slash in it relative to `cwd`, otherwise in each
 * folder of `path`. Links are kept, since programs ask by which name they were called.
 */
export function findProgram({
  name,
  path,
  cwd,
}: {
  readonly name: string
  readonly path: string
  readonly cwd: string
}): FoundProgram {
  const folders = name.includes('/') ? [cwd] : path.split(':').map((folder) => resolve(cwd, folder))
  let refused: string | undefined
  for (const folder of name === '' ? [] : folders) {
    const candidate = isAbsolute(name) ? name : resolve(folder, name)
    const look = lookAt(candidate)
    if (look === 'executable') return { kind: 'found', path: candidate }
    if (look === 'refused') refused ??= candidate
  }
  return refused === undefined ? { kind: 'not_found' } : { kind: 'not_executable', path: refused }
}

function lookAt(candidate: string): 'executable' | 'refused' | 'missing' {
  try {
    if (!statSync(candidate).isFile()) return 'refused'
  } catch {
    return 'missing'
  }
  try {
    accessSync(candidate, constants.X_OK)
    return 'executable'
  } catch {
    return 'refused'
  }
}
