import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const bin = resolve('dist/bin.cjs')

/** The program as it is released; built anew only where a source is newer (`npm test` has built it already). */
export function buildProgram(): void {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((path) => join('src', path))
  const newest = Math.max(...sources.map((path) => statSync(path).mtimeMs))
  const built = statSync('dist/cli.mjs', { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (built < newest) execFileSync(process.execPath, ['ops/build.mjs'])
}

/** One `yardmaster` in a process of its own. */
export interface Program {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Exit code, or the signal's name, and all that was written. */
  readonly ended: Promise<{ readonly code: number | string; readonly out: string; readonly err: string }>
  /** Resolves once `text` was written on either stream; rejects when it ends before. */
  says(text: string): Promise<void>
}

export function startProgram(
  argv: readonly string[],
  { home, cwd, env = {} }: { readonly home: string; readonly cwd: string; readonly env?: Record<string, string> },
): Program {
  const child = spawn(process.execPath, [bin, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, YARDMASTER_HOME: home, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = { out: '', err: '' }
  const listeners = new Set<() => void>()
  for (const [name, stream] of [
    ['out', child.stdout],
    ['err', child.stderr],
  ] as const) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
      for (const heard of listeners) heard()
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => ({ code: signal ?? code, ...written }))
  return {
    child,
    out: () => written.out,
    err: () => written.err,
    ended,
    says: (text) =>
      new Promise((done, reject) => {
        const look = () => (written.out + written.err).includes(text) && done()
        listeners.add(look)
        look()
        void ended.then(({ code, out, err }) => reject(new Error(`ended with ${code} before "${text}": ${out}${err}`)))
      }),
  }
}
