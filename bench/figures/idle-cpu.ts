import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../figure.ts'
import { openYard } from '../yard.ts'

const watchedMs = 20_000
/** What a start leaves to be done is not idleness. */
const settleMs = 5_000

/** What a hub costs that has nothing to do. */
export const idleCpu: Bench = {
  figures: [
    {
      id: 'idle_cpu_ms_per_min',
      says: `CPU time of an idle hub, all its threads, over ${watchedMs / 1_000} s, as ms a minute`,
      goal: { atMost: 60 },
    },
  ],
  async open() {
    const yard = await openYard({ slots: 4 })
    await wait(settleMs)
    return {
      async measure() {
        const beganMs = performance.now()
        const before = cpuMs(yard.pid)
        await wait(watchedMs)
        return { idle_cpu_ms_per_min: ((cpuMs(yard.pid) - before) / (performance.now() - beganMs)) * 60_000 }
      },
      close: yard.close,
    }
  },
}

/** In nanoseconds in the kernel's books; the clock ticks of /proc/PID/stat are too coarse for so little. */
function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  )
  return ns.reduce((sum, one) => sum + one, 0) / 1e6
}
