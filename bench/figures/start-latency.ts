import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, measureBoth } from '../figure.ts'
import { runSpawnLoop } from '../peers/run-peers.ts'
import { percentile } from '../statistics.ts'
import { type BenchYard, openYard } from '../yard.ts'

const starts = 100
/** Prints the wall clock in nanoseconds, as the first thing that the worker does. */
const clockText = 'date +%s%N'
/** A command as people write it: text, for which a shell is started. The peer starts the same. */
const clockProgram = ['/bin/bash', '-euo', 'pipefail', '-c', clockText]

/** From the creation of a task to its worker's first act, nothing else going on. */
export const startLatency: Bench = {
  figures: [
    {
      id: 'start_latency_vs_spawn',
      says: `median of ${starts} starts of a bash text, created to its first act, idle hub, over a bare Node spawn of the same`,
      goal: { atMost: 3 },
    },
    {
      id: 'start_latency_p99_vs_spawn',
      says: 'the same, 99th percentile over 99th percentile',
      goal: { atMost: 8 },
    },
  ],
  async open() {
    const yard = await openYard({ slots: 2 })
    const folder = join(yard.work, 'peer-logs')
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => measureOurs(yard),
          () => measurePeer(folder),
        )
        return {
          start_latency_vs_spawn: percentile(ours, 50) / percentile(peer, 50),
          start_latency_p99_vs_spawn: percentile(ours, 99) / percentile(peer, 99),
        }
      },
      close: yard.close,
    }
  },
}

/** The board's time of creation has whole milliseconds, cut off; half of one is what that adds on average. */
const cutOffMs = 0.5

async function measureOurs({ client, work }: BenchYard): Promise<readonly number[]> {
  const waits: number[] = []
  for (let i = 0; i < starts; i += 1) {
    const { last_seq: before } = await client.health()
    const { task } = await client.createTask({ dir: work, run: clockText })
    const done = new AbortController()
    for await (const event of client.events(before, { task: task.id }, done.signal)) {
      if (event.kind === 'run.settled') break
    }
    done.abort()
    const { last_run: run } = await client.task(task.id)
    waits.push(Number(run?.output_tail) / 1e6 - Date.parse(task.created_at) - cutOffMs)
  }
  return waits
}

async function measurePeer(folder: string): Promise<readonly number[]> {
  const { spawnedAtMs } = await runSpawnLoop({ count: starts, atOnce: 1, folder, argv: clockProgram })
  return spawnedAtMs.map((spawnedMs, i) => Number(readFileSync(join(folder, `${i}.log`), 'utf8')) / 1e6 - spawnedMs)
}
