import { findProgram } from '../../kernel/process/index.ts'

export type FoundCommand =
  | { readonly ok: true; readonly path: string }
  /** `says` names the command and where it was looked for. */
  | { readonly ok: false; readonly says: string }

/**
 * Finds a command's program in the worker's own PATH and folder. Asked before a task is claimed, so that a typing error
 * is told as such, with the PATH that was searched, and costs no attempt (C177).
 */
export function findCommand(name: string, where: { readonly path: string; readonly folder: string }): FoundCommand {
  const found = findProgram({ name, path: where.path, cwd: where.folder })
  switch (found.kind) {
    case 'found':
      return { ok: true, path: found.path }
    case 'not_executable':
      return { ok: false, says: `command not executable: ${found.path}` }
    case 'not_found':
      return { ok: false, says: `command not found: "${name}" (${sayWhere(name, where)})` }
  }
}

function sayWhere(name: string, { path, folder }: { readonly path: string; readonly folder: string }): string {
  if (name.includes('/')) return `looked in ${folder}`
  return path === '' ? 'PATH is empty' : `PATH is ${path}`
}
