import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment } from '../yard.ts'

const runFile = promisify(execFile)

export interface SpawnLoop {
  readonly elapsedMs: number
  /** Wall clock in milliseconds with fractions, just before each spawn. */
  readonly spawnedAtMs: readonly number[]
}

/** A Node process of its own that starts `argv` `count` times, `atOnce` at a time, each with a log file `N.log` in `folder`. */
export async function runSpawnLoop(input: {
  readonly count: number
  readonly atOnce: number
  readonly folder: string
  readonly argv: readonly string[]
}): Promise<SpawnLoop> {
  rmSync(input.folder, { recursive: true, force: true })
  mkdirSync(input.folder, { recursive: true })
  const script = join('bench', 'peers', 'spawn-loop.mjs')
  const args = [script, String(input.count), String(input.atOnce), input.folder, ...input.argv]
  const { stdout } = await runFile(process.execPath, args, { env: cleanEnvironment() })
  return JSON.parse(stdout) as SpawnLoop
}

/** Milliseconds from the first start to the last end that GNU parallel's own log shows; its start-up is not counted. */
export async function runParallel(input: {
  readonly count: number
  readonly atOnce: number
  readonly log: string
}): Promise<number> {
  const numbers = Array.from({ length: input.count }, (_, i) => String(i))
  const args = ['--will-cite', '-j', String(input.atOnce), '--joblog', input.log, '-N0', '/bin/true', ':::', ...numbers]
  rmSync(input.log, { force: true })
  await runFile('parallel', args, { env: cleanEnvironment() })
  return readParallelLog(readFileSync(input.log, 'utf8'))
}

/** Columns of `--joblog`: Seq Host Starttime JobRuntime …, times in seconds with three decimals. */
export function readParallelLog(text: string): number {
  const rows = text.trim().split('\n').slice(1)
  const times = rows.map((row) => row.split('\t').slice(2, 4).map(Number)) as [number, number][]
  const firstStart = Math.min(...times.map(([start]) => start))
  const lastEnd = Math.max(...times.map(([start, runtime]) => start + runtime))
  return (lastEnd - firstStart) * 1_000
}
