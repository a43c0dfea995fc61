import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { openPlain } from './read-small.ts'

/** What git wrote down each time HEAD of a worktree moved, oldest first. */
export interface HeadMove {
  readonly from: string
  readonly to: string
  readonly says: string
}

/** Our own words in that log: what stands behind the last of them is of the present attempt. */
export const ourWords = 'yardmaster: '

const mostBytes = 4 * 1024 * 1024

/** The end of the log, at most 4 MiB; empty where none is kept. */
export function readHeadLog(adminDir: string): readonly HeadMove[] {
  const text = readEnd(join(adminDir, 'logs', 'HEAD'))
  return text.split('\n').flatMap((line) => {
    const move = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t?(.*)$/.exec(line)
    return move === null ? [] : [{ from: move[1] ?? '', to: move[2] ?? '', says: move[3] ?? '' }]
  })
}

/** Commits that were made here by the present attempt, and not only visited. */
export function madeHere(moves: readonly HeadMove[]): ReadonlySet<string> {
  const since = moves.findLastIndex(({ says }) => says.startsWith(ourWords)) + 1
  return new Set(
    moves
      .slice(since)
      .filter(({ says }) => making.test(says))
      .map(({ to }) => to),
  )
}

const making =
  /^(commit\b|cherry-pick|revert|am\b|rebase.*\((pick|reword|edit|squash|fixup|continue|merge)\)|(merge|pull)\b(?!.*Fast-forward))/

function readEnd(file: string): string {
  const descriptor = openPlain(file)
  if (descriptor === undefined) return '' // the repository keeps no such log
  try {
    const { size } = fstatSync(descriptor)
    const length = Math.min(size, mostBytes)
    const bytes = Buffer.alloc(length)
    const read = readSync(descriptor, bytes, 0, length, size - length)
    return bytes.toString('utf8', 0, read)
  } finally {
    closeSync(descriptor)
  }
}
