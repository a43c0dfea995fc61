import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Bench } from '../figure.ts'
import { percentile } from '../statistics.ts'
import { makeFolder, openYard } from '../yard.ts'
import { fillBoard } from './filled-board.ts'

const events = 1_000_000
const asked = 50

/** What people look at first, when the history behind it is long: nothing of it may be read through. */
export const millionEvents: Bench = {
  figures: [
    {
      id: 'health_1m_events_ms',
      says: `99th percentile of ${asked} answers of health, list and why, over HTTP, with a million events in the store, ms`,
      goal: { atMost: 200 },
    },
  ],
  async open() {
    const home = makeFolder()
    fillBoard({ folder: home, tasks: 10_000 }).close()
    addEvents(join(home, 'yard.db'))
    const yard = await openYard({ slots: 1, home, paused: true })
    return {
      async measure() {
        const times: number[] = []
        for (let i = 0; i < asked; i += 1) {
          for (const ask of [
            () => yard.client.health(),
            () => yard.client.listTasks({ limit: 100 }),
            () => yard.client.why(1 + i),
          ]) {
            const began = performance.now()
            await ask()
            times.push(performance.now() - began)
          }
        }
        return { health_1m_events_ms: percentile(times, 99) }
      },
      close: yard.close,
    }
  },
}

/** Of cards, as they come; written past the board, which would take minutes. */
function addEvents(path: string): void {
  const db = new Sqlite(path)
  db.exec(`
    with recursive number (n) as (select 1 union all select n + 1 from number where n < ${events})
    insert into event (at_ms, kind, board, batch, task, run, by, text, data)
      select n, 'task.commented', 'bench', null, 1 + n % 10000, null, 'bench', 'a remark of the bench', '{}' from number`)
  db.close()
}
