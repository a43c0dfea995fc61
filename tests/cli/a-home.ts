import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LineAnswer, type LineOptions, runLine } from './run-line.ts'

/** A home and a folder of its own, gone at the end, with a command line to type in. */
export interface AHome extends AsyncDisposable {
  readonly home: string
  readonly cwd: string
  type(...argv: string[]): Promise<LineAnswer>
  /** With `options` that differ: standard input, a terminal, environment. */
  typeWith(options: Partial<LineOptions>, ...argv: string[]): Promise<LineAnswer>
}

export function aHome(): AHome {
  const root = mkdtempSync(join(tmpdir(), 'yardmaster-cli-'))
  const home = join(root, 'home')
  const cwd = join(root, 'work')
  mkdirSync(cwd)
  const typeWith: AHome['typeWith'] = (options, ...argv) =>
    runLine(argv, { home, cwd, env: { PATH: process.env.PATH }, ...options })
  return {
    home,
    cwd,
    typeWith,
    type: (...argv) => typeWith({}, ...argv),
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true }),
  }
}
