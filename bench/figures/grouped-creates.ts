import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Board, openBoard } from '../../src/board/index.ts'
import { systemClock, systemRandom } from '../../src/kernel/index.ts'
import { type Bench, measureBoth } from '../figure.ts'
import { makeFolder } from '../yard.ts'

const clients = 50
const each = 10

/** What it is worth that the cards of one turn share a commit: fifty clients at once, beside one commit for each card. */
export const groupedCreates: Bench = {
  figures: [
    {
      id: 'create_rate_grouped_vs_single',
      says: `cards a second of ${clients} clients that add ${each} one after another, through the write queue, over a loop of single commits; both synchronous=FULL`,
      goal: { atLeast: 2 },
    },
  ],
  async open() {
    const folder = makeFolder()
    const board = openBoard({ path: join(folder, 'yard.db'), clock: systemClock, random: systemRandom })
    board.applyLimits({ slots: 1, lanes: { free: { account: null, slots: null } }, accounts: {} })
    return {
      async measure(first) {
        const { ours, peer } = await measureBoth(
          first,
          () => rate(() => addTogether(board)),
          () => rate(async () => addOneByOne(board)),
        )
        return { create_rate_grouped_vs_single: ours / peer }
      },
      async close() {
        board.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

const by = { by: 'bench' }
const card = { board: 'bench', tasks: [{ spec: { title: 'bench', run: ['/bin/true'], dir: '/' }, lane: 'free' }] }

/** Each waits for its answer before it asks again, as a client does. */
async function addTogether(board: Board): Promise<void> {
  const client = async (): Promise<void> => {
    for (let i = 0; i < each; i += 1) await board.queue((queued) => queued.createTasks(card, by))
  }
  await Promise.all(Array.from({ length: clients }, client))
}

function addOneByOne(board: Board): void {
  for (let i = 0; i < clients * each; i += 1) board.createTasks(card, by)
}

/** Cards a second. */
async function rate(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (clients * each * 1_000) / (performance.now() - began)
}
