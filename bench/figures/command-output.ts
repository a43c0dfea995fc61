import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/kernel/index.ts'
import { createCommandDesk } from '../../src/worker/tools/terminal/command-desk.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { median } from '../statistics.ts'
import { cleanEnvironment } from '../yard.ts'

const megabytes = 10
const times = 5

/**
 * What the worker makes of a command that prints more than anybody reads: head and tail for the model, the whole in a file,
 * secrets masked. Beside it the floor: a shell that prints the same to nobody.
 */
export const commandOutput: Bench = {
  figures: [
    {
      id: 'output_10mb_ms',
      says: `a command of chat that prints ${megabytes} MB, from its call to the answer for the model, ms`,
      goal: { atMost: 100 },
    },
    {
      id: 'output_10mb_floor_ms',
      says: `bash -c "cat FILE > /dev/null" with the same ${megabytes} MB, start to end, ms; the floor of the figure above`,
      goal: { atMost: 100 },
    },
    {
      id: 'output_100mb_rss_mib',
      says: `what the memory of the worker grows by while a command prints ${10 * megabytes} MB, after one that did so, MiB`,
      goal: { atMost: 32 },
    },
  ],
  async open() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yard-bench-output-')))
    writeFileSync(
      join(folder, 'big'),
      Buffer.alloc(megabytes * 1_000_000, 'what a build says while it works 0123456789\n'),
    )
    const env = cleanEnvironment()
    const desk = createCommandDesk({
      clock: systemClock,
      workspace: folder,
      env,
      boardWorker: true,
      knownSecrets: [`bench-${'key'.repeat(10)}`],
      log: () => {},
      commandTimeoutMs: 60_000,
      spillFolder: join(folder, 'outputs'),
      spilled: 'removed',
      heartbeatMs: 0,
    })
    const { runInTerminal } = await desk.load()
    const never = new AbortController().signal
    const run = (command: string) => runInTerminal({ command }, { callId: 'c', signal: never, attention: never })
    const many = `for i in ${'x '.repeat(10)}; do cat big; done`
    await run(many)
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => repeat(() => run('cat big')),
          () =>
            repeat(() =>
              once(spawn('bash', ['-c', 'cat big > /dev/null'], { cwd: folder, env, stdio: 'ignore' }), 'exit'),
            ),
        )
        const before = process.memoryUsage.rss()
        let most = before
        const looking = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5)
        await run(many)
        clearInterval(looking)
        return { output_10mb_ms: ours, output_10mb_floor_ms: peer, output_100mb_rss_mib: (most - before) / 2 ** 20 }
      },
      async close() {
        await desk.closeAll()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

async function repeat(measure: () => Promise<unknown>): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < times; i += 1) {
    const began = performance.now()
    await measure()
    values.push(performance.now() - began)
  }
  return median(values)
}
