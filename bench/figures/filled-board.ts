import { join } from 'node:path'
import { type Board, type Claim, openBoard } from '../../src/board/index.ts'
import { systemClock, systemRandom } from '../../src/kernel/index.ts'

/** The shape of a big board, whatever its size: nearly all of it held by one account, a tenth waiting for a time. */
export const shape = { heldShare: 0.99, laterShare: 0.1 } as const

const bench = { by: 'bench' }
const held = 'held'

/** A board file with `tasks` tasks: 1 % startable, 99 % of a closed account, and of those every tenth waits for a time. */
export function fillBoard(input: { readonly folder: string; readonly tasks: number }): Board {
  const board = openBoard({ path: join(input.folder, 'yard.db'), clock: systemClock, random: systemRandom })
  board.applyLimits({
    slots: 1_000,
    lanes: { free: { account: null, slots: null }, held: { account: held, slots: null } },
    accounts: { held: { slots: null } },
  })
  const heldTasks = Math.round(input.tasks * shape.heldShare)
  const laterMs = systemClock.nowMs() + 24 * 3_600_000
  addTasks(board, input.tasks - heldTasks, () => ({ lane: 'free' }))
  addTasks(board, heldTasks, (i) => ({
    lane: held,
    ...(i % (1 / shape.laterShare) === 0 ? { notBeforeMs: laterMs } : {}),
  }))
  board.parkGate({ account: held, reason: 'bench', byRun: startOne(board) })
  return board
}

/** Adds startable tasks, in lists as a batch would. */
export function addFreeTasks(board: Board, count: number): void {
  addTasks(board, count, () => ({ lane: 'free' }))
}

type Where = { readonly lane: string; readonly notBeforeMs?: number }

function addTasks(board: Board, count: number, where: (index: number) => Where): void {
  for (let done = 0; done < count; done += 1_000) {
    const tasks = Array.from({ length: Math.min(1_000, count - done) }, (_, i) => ({
      spec: { title: `bench ${done + i}`, run: ['/bin/true'], dir: '/' },
      ...where(done + i),
    }))
    board.createTasks({ board: 'bench', tasks }, bench)
  }
}

/** One claimed and ended run: the gate of an account is closed in the name of one. */
function startOne(board: Board): Claim['run']['id'] {
  const run = claimOne(board)
  endRun(board, run)
  return run.id
}

/** Claims the one task whose turn it is. */
export function claimOne(board: Board): Claim['run'] {
  const [claim] = board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (claim === undefined) throw new Error('nothing could be claimed')
  return claim.run
}

/** Ends and settles a claimed run as done. */
export function endRun(board: Board, { id, fence }: Claim['run']): void {
  const ended = { run: id, fence }
  board.recordExited([
    {
      ...ended,
      outcome: 'done',
      exitCode: 0,
      signal: null,
      reason: 'exit 0',
      outputTail: null,
      result: null,
      data: null,
      usage: null,
      stopDelivered: false,
    },
  ])
  board.recordSettled([{ ...ended, move: { to: 'done' }, failures: 0 }])
}
