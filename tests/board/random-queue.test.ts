import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Board, type BoardEvent, openBoard } from '../../src/board/index.ts'
import { taskId, YardError } from '../../src/kernel/index.ts'
import { dumpStore, setTraps } from './booby-traps.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { ann, claim, createTestClock, end, limits, newTask, spec, type TestBoard } from './open-test-board.ts'

/** What somebody does; numbers pick a card by their rest. */
type Act =
  | { do: 'add'; count: number; need: number; key: string | null }
  | { do: 'block' | 'unblock' | 'retry' | 'cancel' | 'comment' | 'edit'; pick: number }
  | { do: 'hold' | 'lift' }
  | { do: 'claim' | 'end' }

interface Step {
  /** direct: as the dispatcher's steps are, in the middle of a turn. */
  readonly how: 'queued' | 'direct'
  readonly act: Act
  /**
   * What goes wrong after the act has written: its own code throws, a statement fails, the whole transaction ends by
   * itself, or the COMMIT fails.
   */
  readonly fault: 'none' | 'throw' | 'abort' | 'rollback' | 'poison'
}

const pick = fc.nat(20)
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      count: fc.integer({ min: 1, max: 3 }),
      need: pick,
      key: fc.constantFrom(null, null, 'k'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'block' as const,
        'unblock' as const,
        'retry' as const,
        'cancel' as const,
        'comment' as const,
        'edit' as const,
      ),
      pick,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hold' as const, 'lift' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('claim' as const, 'end' as const) }) },
)
/** Acts that look at nothing before they write: a direct look does not see what is only queued. */
const directAct: fc.Arbitrary<Act> = fc.oneof(
  fc.constant({ do: 'add' as const, count: 2, need: 1, key: 'k' }),
  fc.record({ do: fc.constantFrom('hold' as const, 'lift' as const, 'claim' as const) }),
)
const direct = fc.record({ how: fc.constant('direct' as const), act: directAct, fault: fc.constant('none' as const) })
const queued: fc.Arbitrary<Step> = fc.record({
  how: fc.constant('queued' as const),
  act,
  fault: fc.oneof(
    { weight: 12, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constantFrom('throw' as const, 'abort' as const) },
    { weight: 1, arbitrary: fc.constantFrom('rollback' as const, 'poison' as const) },
  ),
})

const step: fc.Arbitrary<Step> = fc.oneof({ weight: 4, arbitrary: queued }, { weight: 1, arbitrary: direct })

test('random acts through the queue leave the store as the same acts do one by one, whatever fails among them and at the COMMIT', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 6 }), async (turns) => {
      using queued = open()
      using single = open()
      const told: BoardEvent[] = []
      const from = queued.board.lastSeq()
      queued.board.onEvents(new AbortController().signal, (events) => told.push(...events))
      for (const turn of turns) {
        const answers = turn.map(({ how, act, fault }) =>
          how === 'queued'
            ? queued.board.queue((board) => perform(board, act, fault))
            : attempt(() => performDirectly(queued.board, act)),
        )
        const got = (await Promise.allSettled(answers)).map(({ status }) => status)
        expect(got).toEqual(commitsOf(turn).flatMap((steps) => doOneByOne(single.board, steps)))
        expect(dumpStore(queued.path)).toBe(dumpStore(single.path))
      }
      using sound = openHalfStateFinder(queued.path)
      expect(sound.findHalfStates()).toEqual([])
      // Each event of the store was told once, in order, and nothing else was.
      expect(told).toEqual(queued.board.eventsAfter(from, 10_000))
    }),
    { numRuns: 30 },
  )
})

/** Chance that gives both stores the same, however often each asks. */
const random = { fraction: () => 0, hex: (bytes: number) => '5'.repeat(bytes * 2) }

/** In memory where the system has a folder for that: a thousand small commits, and what is asked is not whether they last. */
const inMemory = '/dev/shm'

function open(): Pick<TestBoard, 'board' | 'path'> & Disposable {
  const folder = mkdtempSync(join(existsSync(inMemory) ? inMemory : tmpdir(), 'yard-queue-'))
  const path = join(folder, 'yard.db')
  const board = openBoard({ path, clock: createTestClock(), random })
  board.applyLimits(limits())
  board.createTasks({ board: 'shop', tasks: [newTask()] }, ann)
  setTraps(path)
  const dispose = () => {
    board.close()
    rmSync(folder, { recursive: true })
  }
  return { board, path, [Symbol.dispose]: dispose }
}

/** The steps that come to the disk together: a direct one commits what was queued before it, then itself. */
function commitsOf(turn: readonly Step[]): readonly (readonly Step[])[] {
  const commits: Step[][] = []
  let waiting: Step[] = []
  for (const one of turn) {
    if (one.how === 'queued') waiting.push(one)
    else {
      commits.push(waiting, [one])
      waiting = []
    }
  }
  return [...commits, waiting]
}

/** The same without a queue: what fails alone is left out, and all of a commit that fails. */
function doOneByOne(board: Board, steps: readonly Step[]): readonly string[] {
  const isQueued = steps[0]?.how === 'queued'
  if (isQueued && steps.some(({ fault }) => fault === 'rollback' || fault === 'poison'))
    return steps.map(() => 'rejected')
  return steps.map(({ act, fault }) => {
    if (isQueued && fault !== 'none') return 'rejected'
    try {
      performDirectly(board, act)
      return 'fulfilled'
    } catch (refused) {
      if (!(refused instanceof YardError)) throw refused
      return 'rejected'
    }
  })
}

function perform(board: Board, act: Act, fault: Step['fault']): unknown {
  if (fault === 'none') return performDirectly(board, act)
  try {
    performDirectly(board, act)
  } catch (refused) {
    if (!(refused instanceof YardError)) throw refused // what was refused has written nothing; it goes wrong all the same
  }
  if (fault === 'throw') throw new Error('second thoughts')
  board.comment(taskId(1), fault, ann)
}

function performDirectly(board: Board, act: Act): unknown {
  switch (act.do) {
    case 'add': {
      const needs = act.need % 3 === 0 ? [{ on: pickTask(board, act.need), when: 'done' as const }] : []
      const one = newTask({ needs, ...(act.key === null ? {} : { key: act.key }) })
      const tasks = Array.from({ length: act.count }, (_, i) => ({ ...one, spec: spec({ title: `card ${i}` }) }))
      return board.createTasks({ board: 'shop', tasks }, ann)
    }
    case 'block':
      return board.blockTask(pickTask(board, act.pick), 'why', ann)
    case 'unblock':
      return board.unblockTask(pickTask(board, act.pick), ann)
    case 'retry':
      return board.retryTask(pickTask(board, act.pick), 'again', ann)
    case 'cancel':
      return board.cancelTask(pickTask(board, act.pick), ann)
    case 'comment':
      return board.comment(pickTask(board, act.pick), 'a remark', ann)
    case 'edit':
      return board.editTask(pickTask(board, act.pick), { priority: (act.pick % 5) - 2 }, ann)
    case 'hold':
      return board.setHold({ scope: 'all', name: null, kind: 'pause', text: null }, ann)
    case 'lift':
      return board.liftHold('all', null, ann)
    case 'claim':
      return claim(board, 2).length
    case 'end': {
      const [run] = board.openRuns()
      if (run === undefined || run.phase !== 'claimed') return undefined
      return end(board, run.id, 'done', { to: 'done' })
    }
  }
}

/** One of the cards that are there. */
function pickTask(board: Board, number: number) {
  const { rows } = board.listTasks({}, { limit: 1_000 })
  return rows[number % rows.length]?.id ?? taskId(1)
}

/** As a promise, so that a turn has one list of answers. */
async function attempt(act: () => unknown): Promise<unknown> {
  return act()
}
