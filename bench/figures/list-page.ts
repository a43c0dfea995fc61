import type { Bench } from '../figure.ts'
import { median } from '../statistics.ts'
import { makeFolder, openYard } from '../yard.ts'
import { fillBoard } from './filled-board.ts'

const pages = 50
const rowsOnPage = 100

/** A page of the listing, as a client sees it: HTTP, JSON and all. */
export const listPage: Bench = {
  figures: [
    {
      id: 'list_page_100k_ms',
      says: `median time of a page of ${rowsOnPage} rows of 100,000, over HTTP, ${pages} pages one after another, ms`,
      goal: { atMost: 10 },
    },
  ],
  async open() {
    const home = makeFolder()
    fillBoard({ folder: home, tasks: 100_000 }).close()
    const yard = await openYard({ slots: 1, home, paused: true })
    return {
      async measure() {
        const times: number[] = []
        let after: string | null = null
        for (let i = 0; i < pages; i += 1) {
          const began = performance.now()
          const page = await yard.client.listTasks({ limit: rowsOnPage, ...(after === null ? {} : { after }) })
          times.push(performance.now() - began)
          after = page.next
        }
        return { list_page_100k_ms: median(times) }
      },
      close: yard.close,
    }
  },
}
