import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleFolder } from '../remove-bundles.ts'
import type { YardOptions } from './start-yard.ts'

const root = join(import.meta.dirname, '..', '..')
/** Each process that runs tests has its own: nobody starts one that another is just writing. */
const hubFile = join(bundleFolder(process.ppid), `${process.pid}-dispatcher-hub.cjs`)
let built: Promise<unknown> | undefined

/** Bundles the fixture, once for all files of tests that one process runs; its crash points are live. */
export async function buildHub(): Promise<void> {
  built ??= build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, 'fixtures', 'hub.ts')],
    outfile: hubFile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3', 'koffi'],
    loader: { '.sql': 'text' },
    define: { __CRASH_POINTS__: 'true', 'import.meta.dirname': '""' },
    logLevel: 'error',
  })
  await built
}

export interface HubProcess {
  readonly process: ChildProcess
  /** It takes tasks. */
  readonly up: Promise<unknown>
  /** `SIGKILL`, or the exit code. */
  readonly ended: Promise<string | number>
  stderr(): string
}

/** A hub in `home`, which dies at `crashAt` (`claim.committed:2`) where one is given, and does `act` once it is up. */
export function startHub(home: string, options: YardOptions = {}, crashAt = '', act = ''): HubProcess {
  const child = spawn(process.execPath, [hubFile, home, JSON.stringify(options), act], {
    env: { PATH: process.env.PATH, YARDMASTER_CRASH_AT: crashAt },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece) => (said += piece))
  return {
    process: child,
    up: once(child.stdout, 'data'),
    ended: once(child, 'exit').then(([code, signal]) => signal ?? code),
    stderr: () => said,
  }
}

/** Alive, and no zombie that only waits to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
