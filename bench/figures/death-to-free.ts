import type { Bench } from '../figure.ts'
import { percentile } from '../statistics.ts'
import { type BenchYard, openYard } from '../yard.ts'

const tasks = 200
const slots = 4
/** Lives a little, so that not all end in one moment, and prints the wall clock in nanoseconds as its last act. */
const lastAct = ['/bin/sh', '-c', 'sleep 0.0$(( $YARDMASTER_SLOT + 2 )); exec date +%s%N']

/**
 * From the last act of a worker until a client has heard, over HTTP, that its outcome is decided and its slot free, while
 * other attempts start and end beside it. An upper bound: the program's own exit and the way to the client are in it.
 */
export const deathToFree: Bench = {
  figures: [
    {
      id: 'death_to_free_ms',
      says: `median of ${tasks} ends, ${slots} slots busy: last act of the worker to "outcome decided, slot free" heard by a client, ms`,
      goal: { atMost: 10 },
    },
    {
      id: 'death_to_free_p99_ms',
      says: 'the same, 99th percentile, ms',
      goal: { atMost: 50 },
    },
  ],
  async open() {
    const yard = await openYard({ slots })
    return {
      async measure() {
        const waits = await measureEnds(yard)
        return { death_to_free_ms: percentile(waits, 50), death_to_free_p99_ms: percentile(waits, 99) }
      },
      close: yard.close,
    }
  },
}

async function measureEnds({ client, work }: BenchYard): Promise<readonly number[]> {
  const { last_seq: before } = await client.health()
  const { batch } = await client.submitBatch({
    name: 'ends',
    digest: 'ends',
    file: null,
    dir: work,
    limits: {},
    defaults: {},
    tasks: Array.from({ length: tasks }, (_, i) => ({ key: `t${i}`, run: lastAct })),
    mode: 'new',
    redo: [],
  })
  const heardAtMs = new Map<number, number>()
  const done = new AbortController()
  for await (const event of client.events(before, { batch: batch.id }, done.signal)) {
    if (event.kind === 'run.exited' && event.run !== null) heardAtMs.set(Number(event.run), wallClockMs())
    if (event.kind === 'batch.ended') break
  }
  done.abort()
  const waits: number[] = []
  for (const [run, atMs] of heardAtMs) waits.push(atMs - Number((await client.run(run)).output_tail) / 1e6)
  return waits
}

/** With fractions, unlike Date.now. */
const wallClockMs = (): number => performance.timeOrigin + performance.now()
