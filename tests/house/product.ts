import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'

/** A started `yardmaster` of the built product. */
export interface Product {
  readonly process: ChildProcess
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves with everything printed so far once `text` is in it; rejects when it ends before. */
  said(text: string): Promise<string>
}

/** Starts the built product (the build with crash points) with its own home and without what CI changes. */
export function startProduct(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  { cwd }: { readonly cwd?: string } = {},
): Product {
  const { CI: _ci, NODE_EXTRA_CA_CERTS: _certificates, ...inherited } = process.env
  const child = spawn(process.execPath, [resolve('dist-test/bin.cjs'), ...args], {
    env: { ...inherited, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => signal ?? code)
  return {
    process: child,
    ended,
    stdout: () => out,
    stderr: () => err,
    said: (text) =>
      new Promise((resolveSaid, reject) => {
        const look = () => {
          if (out.includes(text)) resolveSaid(out)
        }
        child.stdout.on('data', look)
        look()
        ended.then((code) =>
          reject(new Error(`${args.join(' ')} ended with ${code} before it said "${text}": ${out}${err}`)),
        )
      }),
  }
}
