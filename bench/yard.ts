import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../src/api/client/index.ts'
import { findHub } from '../src/main.ts'

/** A hub of the built product, in a home of its own below the temporary folder. */
export interface BenchYard {
  readonly home: string
  /** Where its tasks run, and where a bench may leave files: outside of the home, which no task may work in. */
  readonly work: string
  readonly client: Client
  readonly pid: number
  /** With signal 9: home and workers stay. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Starts `yardmaster up` on `home` with `work` beside it (new ones where they are not given) and waits until it says that it serves. */
export async function openYard(input: {
  readonly slots: number
  readonly home?: string
  readonly work?: string
  readonly paused?: boolean
}): Promise<BenchYard> {
  const home = input.home ?? makeFolder()
  const work = input.work ?? makeFolder()
  const config = join(work, 'yardmaster.yaml')
  writeFileSync(config, `slots: ${input.slots}\n`)
  const args = ['dist/bin.cjs', 'up', '--config', config, ...(input.paused === true ? ['--paused'] : [])]
  const hub = spawn(process.execPath, args, {
    env: { ...cleanEnvironment(), YARDMASTER_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await saysItServes(hub)
  const found = await findHub(home)
  if (found === undefined) throw new Error(`the hub in ${home} said that it serves, and does not answer`)
  return {
    home,
    work,
    client: found.client,
    pid: found.pid,
    kill: () => endHub(hub, 'SIGKILL'),
    async close() {
      await endHub(hub, 'SIGTERM')
      for (const folder of [home, work]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A new folder below the temporary one. */
export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'yardmaster-bench-'))
}

/** Our own environment without the file of certificates that Node 20 parses at every start. */
export function cleanEnvironment(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: _dropped, ...kept } = process.env
  return kept as Record<string, string>
}

function saysItServes(hub: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = ''
    hub.stderr?.on('data', (text) => {
      complaint += text
    })
    hub.stdout?.on('data', (text) => String(text).includes('Hub up') && resolve())
    hub.once('exit', (code) => reject(new Error(`yardmaster up ended with ${code} before it served: ${complaint}`)))
  })
}

async function endHub(hub: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hub.exitCode !== null || hub.signalCode !== null) return
  const gone = new Promise((resolve) => hub.once('exit', resolve))
  hub.kill(signal)
  await gone
}
