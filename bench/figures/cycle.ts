import { join } from 'node:path'
import { type Bench, measureBoth } from '../figure.ts'
import { runParallel, runSpawnLoop } from '../peers/run-peers.ts'
import { type BenchYard, openYard } from '../yard.ts'

const count = 400
const atOnce = 8

/** Whole cycles of a task that does nothing: created, claimed, gated, started, logged, recorded, swept, settled. */
export const cycleRate: Bench = {
  figures: [
    {
      id: 'cycle_rate_vs_spawn',
      says: `tasks a second, ${atOnce} slots, ${count} x /bin/true, over a bare Node spawn loop with a log file each`,
      goal: { atLeast: 0.2 },
    },
  ],
  async open() {
    const yard = await openYard({ slots: atOnce })
    const folder = join(yard.work, 'peer-logs')
    return {
      async measure(first) {
        const peer = () => runSpawnLoop({ count, atOnce, folder, argv: ['/bin/true'] })
        const both = await measureBoth(first, () => runBatch(yard), peer)
        return { cycle_rate_vs_spawn: both.peer.elapsedMs / both.ours }
      },
      close: yard.close,
    }
  },
}

/** The same against GNU parallel with its own log of ends. */
export const cycleTime: Bench = {
  figures: [
    {
      id: 'cycle_time_vs_parallel',
      says: `time of ${count} x /bin/true, ${atOnce} slots, over GNU parallel with a job log (its start-up not counted)`,
      goal: { atMost: 2.2 },
    },
  ],
  needs: ['parallel'],
  async open() {
    const yard = await openYard({ slots: atOnce })
    return {
      async measure(first) {
        const peer = () => runParallel({ count, atOnce, log: join(yard.work, 'parallel.log') })
        const both = await measureBoth(first, () => runBatch(yard), peer)
        return { cycle_time_vs_parallel: both.ours / both.peer }
      },
      close: yard.close,
    }
  },
}

/** Milliseconds from the commit of the batch to the commit of its verdict, both as the board recorded them. */
async function runBatch({ client, work }: BenchYard): Promise<number> {
  const { batch } = await client.submitBatch({
    name: 'cycle',
    digest: 'cycle',
    file: null,
    dir: work,
    limits: {},
    defaults: {},
    tasks: Array.from({ length: count }, (_, i) => ({ key: `t${i}`, run: ['/bin/true'] })),
    mode: 'new',
    redo: [],
  })
  const done = new AbortController()
  for await (const event of client.events(0, { batch: batch.id }, done.signal)) {
    if (event.kind === 'batch.ended') break
  }
  done.abort()
  const ended = await client.batch(batch.id)
  if (ended.verdict?.exit_code !== 0) throw new Error(`the batch of the bench ended with: ${ended.verdict?.text}`)
  return Date.parse(ended.ended_at ?? '') - Date.parse(ended.created_at)
}
