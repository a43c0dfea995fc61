import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, systemRandom } from '../../kernel/index.ts'

/**
 * What `-` means: the task, attempt or batch that was named or made last, kept as one word (`T5`) in the home's `last`
 * file. A convenience and no truth: where it cannot be read or written, it is not there.
 */
export function readLastTarget(home: string): string | undefined {
  try {
    const text = readFileSync(join(home, 'last'), 'utf8').trim()
    return /^[TRB][1-9]\d{0,14}$/.test(text) ? text : undefined
  } catch {
    return undefined // no home yet, or not ours to read: nothing was used last
  }
}

/** Remembers `T5`, `R12` or `B7` for the next `-`. */
export function rememberTarget(home: string, target: string): void {
  const draft = join(home, `last.${systemRandom.hex(4)}`)
  try {
    makeFolder(home, 0o700)
    writeFileSync(draft, `${target}\n`, { mode: 0o600 })
    renameSync(draft, join(home, 'last'))
  } catch {
    // A full disk must not fail the command that was really asked for, nor get an empty file with each of them.
    removeQuietly(draft)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // A disk that only reads has none of it.
  }
}
