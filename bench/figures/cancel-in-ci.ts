import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../figure.ts'
import { cleanEnvironment, makeFolder } from '../yard.ts'

const workers = 8

/** A run that CI cancels while every worker ignores it: GitHub kills 10 s after its first signal. */
export const cancelInCi: Bench = {
  figures: [
    {
      id: 'cancel_in_ci_ms',
      says: `run under CI with ${workers} workers that hear no signal: from SIGINT to its exit with 130, all ended, its report written, ms`,
      goal: { atMost: 5_000 },
    },
  ],
  async open() {
    return {
      async measure() {
        const dir = makeFolder()
        try {
          return { cancel_in_ci_ms: await cancel(dir) }
        } finally {
          rmSync(dir, { recursive: true, force: true })
        }
      },
      async close() {},
    }
  },
}

async function cancel(dir: string): Promise<number> {
  const n = Array.from({ length: workers }, (_, index) => index + 1)
  const deaf = {
    matrix: { n },
    run: `trap '' TERM INT; touch up.$n; until test -e go; do sleep 0.1; done`,
    rerun: 'auto',
  }
  writeFileSync(join(dir, 'b.yaml'), JSON.stringify({ limits: { slots: workers }, tasks: { deaf } }))
  const args = [join(process.cwd(), 'dist/bin.cjs'), 'run', 'b.yaml', '--report', 'out', '--orphans', 'die']
  const run = spawn(process.execPath, args, {
    cwd: dir,
    env: { ...cleanEnvironment(), YARDMASTER_HOME: join(dir, 'home'), CI: 'true', GITHUB_ACTIONS: 'true' },
    stdio: 'ignore',
  })
  const ended = once(run, 'exit')
  while (!n.every((one) => existsSync(join(dir, `up.${one}`)))) await wait(20)
  const beganMs = performance.now()
  run.kill('SIGINT')
  const [code] = await ended
  const tookMs = performance.now() - beganMs
  const { counts } = JSON.parse(readFileSync(join(dir, 'out', 'report.json'), 'utf8'))
  if (code !== 130 || counts.not_finished !== workers) throw new Error(`exit ${code}, ${JSON.stringify(counts)}`)
  return tookMs
}
