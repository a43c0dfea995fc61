import { rmSync } from 'node:fs'
import type { Board } from '../../src/board/index.ts'
import type { Bench } from '../figure.ts'
import { percentile } from '../statistics.ts'
import { makeFolder } from '../yard.ts'
import { addFreeTasks, claimOne, endRun, fillBoard } from './filled-board.ts'

const small = 1_000
const large = 100_000
/** Claims and ends of one round, one at a time, each a transaction of its own with synchronous=FULL. */
const measured = 400

/** What a claim and an end cost when a hundred times as many tasks wait: nearly all held, a tenth for a time. */
export const boardAtScale: Bench = {
  figures: [
    {
      id: 'claim_p99_100k_vs_1k',
      says: `99th percentile of ${measured} claims, 100,000 tasks over 1,000; 99 % held by an account, 10 % waiting for a time`,
      goal: { atMost: 1.5 },
    },
    { id: 'end_p99_100k_vs_1k', says: 'the same of ends (outcome and settling)', goal: { atMost: 1.5 } },
  ],
  async open() {
    const folders = [makeFolder(), makeFolder()] as const
    const boards = [
      fillBoard({ folder: folders[0], tasks: small }),
      fillBoard({ folder: folders[1], tasks: large }),
    ] as const
    return {
      async measure(first) {
        for (const board of boards) addFreeTasks(board, measured)
        // One claim here, one there: whatever the disk does meets both alike.
        const [smallTimes, largeTimes] = [newTimes(), newTimes()]
        const sides = [() => claimAndEnd(boards[0], smallTimes), () => claimAndEnd(boards[1], largeTimes)]
        for (let i = 0; i < measured; i += 1) for (const side of first === 'ours' ? sides : sides.toReversed()) side()
        return {
          claim_p99_100k_vs_1k: percentile(largeTimes.claims, 99) / percentile(smallTimes.claims, 99),
          end_p99_100k_vs_1k: percentile(largeTimes.ends, 99) / percentile(smallTimes.ends, 99),
        }
      },
      async close() {
        for (const board of boards) board.close()
        for (const folder of folders) rmSync(folder, { recursive: true, force: true })
      },
    }
  },
}

interface Times {
  readonly claims: number[]
  readonly ends: number[]
}

const newTimes = (): Times => ({ claims: [], ends: [] })

function claimAndEnd(board: Board, { claims, ends }: Times): void {
  const began = performance.now()
  const run = claimOne(board)
  const claimed = performance.now()
  endRun(board, run)
  claims.push(claimed - began)
  ends.push(performance.now() - claimed)
}
