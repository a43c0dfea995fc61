import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../kernel/index.ts'
import type { Output } from '../command.ts'

/** An output that can leave its terminal: what is written after that goes to the end of a file. */
export interface MovableOutput extends Output {
  moveTo(file: string): void
}

/**
 * Wraps `out`, so that a batch outlives its terminal: writing to a terminal that has hung up is an error of the
 * system, and what would have been said is worth keeping.
 */
export function movable(out: Output): MovableOutput {
  let file: string | undefined
  return {
    get isTerminal() {
      return file === undefined && out.isTerminal
    },
    width: () => out.width(),
    height: () => out.height(),
    closed: out.closed,
    write(text) {
      if (file === undefined) out.write(text)
      else appendFileSync(file, text, { mode: 0o600 })
    },
    moveTo(path) {
      makeFolder(dirname(path), 0o700)
      file = path
    },
  }
}
