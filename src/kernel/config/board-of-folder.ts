import { sep } from 'node:path'
import { readRepoAddress, realPath } from '../index.ts'
import type { YardConfig } from './yard-config.ts'

/** The board whose repository holds a folder, the innermost of several; null where none does. */
export function boardOfFolder(boards: YardConfig['boards'], dir: string): string | null {
  const real = realPath(dir)
  const holding = Object.entries(boards)
    .map(([name, { repo }]) => ({ name, repo }))
    .filter(({ repo }) => repo !== null && readRepoAddress(repo).kind === 'path' && holds(repo, real))
    .toSorted((a, b) => (b.repo?.length ?? 0) - (a.repo?.length ?? 0))
  return holding[0]?.name ?? null
}

const holds = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
