import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../figure.ts'
import { type BenchYard, makeFolder, openYard } from '../yard.ts'

const workers = 200
/** Long enough for the first samples of all trees. */
const settleMs = 6_000

/** A hub killed with 200 workers at work, and the one that comes after it. The workers live on through all rounds. */
export const adopt200: Bench = {
  figures: [
    {
      id: 'adopt_200_ms',
      says: `from the home's lock to ${workers} workers of a killed hub adopted, by the hub's own log, ms`,
      goal: { atMost: 100 },
    },
    {
      id: 'ready_200_ms',
      says: `from exec of that hub to "Hub up" on its standard output, ms`,
      goal: { atMost: 1_000 },
    },
    {
      id: 'hub_rss_200_mb',
      says: `resident memory of that hub with ${workers} workers, ${settleMs / 1_000} s later, MB`,
      goal: { atMost: 130 },
    },
  ],
  async open() {
    const home = makeFolder()
    let yard = await openYard({ slots: workers, home })
    await startWorkers(yard)
    return {
      async measure() {
        await yard.kill()
        const beganMs = performance.now()
        yard = await openYard({ slots: workers, home, work: yard.work })
        const readyMs = performance.now() - beganMs
        await wait(settleMs)
        return { adopt_200_ms: adoptionMs(home), ready_200_ms: readyMs, hub_rss_200_mb: residentMb(yard.pid) }
      },
      async close() {
        await yard.client.down('now')
        await yard.close()
      },
    }
  },
}

async function startWorkers({ client, work }: BenchYard): Promise<void> {
  const { last_seq: before } = await client.health()
  await client.submitBatch({
    name: 'workers',
    digest: 'workers',
    file: null,
    dir: work,
    limits: {},
    defaults: {},
    tasks: Array.from({ length: workers }, (_, i) => ({ key: `t${i}`, run: ['/bin/sleep', '3600'] })),
    mode: 'new',
    redo: [],
  })
  let started = 0
  const done = new AbortController()
  for await (const event of client.events(before, {}, done.signal)) {
    if (event.kind === 'run.started') started += 1
    if (started === workers) break
  }
  done.abort()
}

/** Of the last start in the log. */
function adoptionMs(home: string): number {
  const lines = readFileSync(join(home, 'log', 'hub.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const locked = lines.findLast(({ event }) => event === 'home.locked')
  const adopted = lines.findLast(({ event }) => event === 'runs.adopted')
  if (adopted?.runs !== workers) throw new Error(`adopted ${adopted?.runs} of ${workers} workers`)
  return Date.parse(adopted.time) - Date.parse(locked.at)
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
