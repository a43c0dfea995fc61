import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import type { BoardEvent } from '../../src/board/index.ts'
import { buildNews } from '../../src/board/news.ts'
import { type Database, type Durability, openDatabase } from '../../src/board/sqlite/database.ts'
import { buildStore } from '../../src/board/sqlite/store.ts'
import { buildWriter } from '../../src/board/writer.ts'
import { taskId } from '../../src/kernel/index.ts'
import { setTraps } from './booby-traps.ts'
import { addOne, ann, newTask, one, openOnDisk, openReopened, spec, type TestBoard } from './open-test-board.ts'

const titled = (title: string) => ({ board: 'shop', tasks: [newTask({ spec: spec({ title }) })] })
const hear = (board: TestBoard['board']): BoardEvent[] => {
  const heard: BoardEvent[] = []
  board.onEvents(new AbortController().signal, (events) => heard.push(...events))
  return heard
}
/** What another program sees in the file now. */
const titlesIn = (path: string): unknown[] => {
  const db = new Sqlite(path, { readonly: true })
  try {
    return db.prepare('select title from task order by id').pluck().all()
  } finally {
    db.close()
  }
}

describe('acts that are queued in one turn', () => {
  test('are committed together, in order, and each is answered only then', async () => {
    using yard = openOnDisk()
    const heard = hear(yard.board)
    const seenAtFirstEvent: unknown[] = []
    yard.board.onEvents(new AbortController().signal, () => seenAtFirstEvent.push(titlesIn(yard.path)))
    const answers = ['a', 'b', 'c'].map((title) =>
      yard.board.queue((board) => one(board.createTasks(titled(title), ann)).task.title),
    )
    expect([titlesIn(yard.path), heard]).toEqual([[], []])
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c'])
    expect(seenAtFirstEvent).toEqual([['a', 'b', 'c']])
    expect(heard.map(({ text }) => text)).toEqual(['board shop begins', 'T1 a', 'T2 b', 'T3 c'])
  })

  test('one that throws leaves nothing of itself; the others are done and only its caller is told', async () => {
    using yard = openOnDisk()
    const heard = hear(yard.board)
    const [first, bad, last] = await Promise.allSettled([
      yard.board.queue((board) => board.createTasks(titled('first'), ann)),
      yard.board.queue((board) => {
        board.createTasks(titled('half'), ann)
        throw new Error('second thoughts')
      }),
      yard.board.queue((board) => board.createTasks(titled('last'), ann)),
    ])
    expect([first?.status, bad?.status, last?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(bad).toMatchObject({ reason: { message: 'second thoughts' } })
    expect(titlesIn(yard.path)).toEqual(['first', 'last'])
    expect(heard.map(({ text, task }) => [text, task])).toEqual([
      ['board shop begins', null],
      ['T1 first', 1],
      ['T2 last', 2],
    ])
  })

  test('one may catch the refusal of a change and go on: only the refused change is undone', async () => {
    using yard = openOnDisk()
    const answer = await yard.board.queue((board) => {
      try {
        board.createTasks({ board: 'shop', tasks: [newTask(), newTask({ lane: 'clade' })] }, ann)
      } catch (fault) {
        return [(fault as { code: string }).code, board.createTasks(titled('instead'), ann).length]
      }
      return 'nothing was refused'
    })
    expect(answer).toEqual(['BOARD_UNKNOWN_LANE', 1])
    expect(titlesIn(yard.path)).toEqual(['instead'])
  })

  test('see what was queued before them, and their own changes', async () => {
    using yard = openOnDisk()
    const key = () =>
      yard.board.queue((board) => one(board.createTasks({ board: 'shop', tasks: [newTask({ key: 'k' })] }, ann)))
    const [first, second] = await Promise.all([key(), key()])
    expect([first.created, second.created, first.task.id]).toEqual([true, false, second.task.id])
  })

  test('a direct change commits them first, and so does closing', async () => {
    const yard = openOnDisk()
    const queued = yard.board.queue((board) => one(board.createTasks(titled('queued'), ann)).task.id)
    expect(addOne(yard.board, { spec: spec({ title: 'direct' }) }).id).toBe(2)
    expect(await queued).toBe(1)
    const late = yard.board.queue((board) => one(board.createTasks(titled('late'), ann)).task.id)
    yard.board.close()
    expect(await late).toBe(3)
    expect(titlesIn(yard.path)).toEqual(['queued', 'direct', 'late'])
    yard[Symbol.dispose]()
  })

  test('asked for by whoever hears of a commit come with the next one', async () => {
    using yard = openOnDisk()
    const answers: Promise<unknown>[] = []
    const over = new AbortController()
    yard.board.onEvents(over.signal, () => {
      over.abort()
      answers.push(yard.board.queue((board) => board.comment(taskId(1), 'heard', ann)))
      // A direct change in a listener is the same: nothing is open any more.
      addOne(yard.board, { spec: spec({ title: 'from the listener' }) })
    })
    addOne(yard.board, {}, 'other')
    await yard.board.queue((board) => board.createTasks(titled('a'), ann))
    await Promise.all(answers)
    expect(titlesIn(yard.path)).toEqual(['a task', 'from the listener', 'a'])
  })

  test('also work on a board that is opened again before every call', async () => {
    using yard = openReopened()
    expect(await yard.board.queue((board) => one(board.createTasks(titled('a'), ann)).task.id)).toBe(1)
  })
})

describe('when the disk gives up', () => {
  test.each(['rollback', 'poison'])(
    'in the middle or at the COMMIT (%s), every caller of the turn is told, nothing is written and nothing is told',
    async (trap) => {
      using yard = openOnDisk()
      const { id } = addOne(yard.board, { spec: spec({ title: 'before' }) })
      setTraps(yard.path)
      const heard = hear(yard.board)
      const results = await Promise.allSettled([
        yard.board.queue((board) => board.createTasks(titled('first'), ann)),
        yard.board.queue((board) => board.comment(id, trap, ann)),
        yard.board.queue((board) => board.createTasks(titled('last'), ann)),
      ])
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      expect([titlesIn(yard.path), heard]).toEqual([['before'], []])
      // And goes on with the next turn.
      expect(await yard.board.queue((board) => one(board.createTasks(titled('after'), ann)).task.id)).toBe(2)
    },
  )

  test('an act that swallows the end of its transaction is told of it all the same', async () => {
    using yard = openOnDisk()
    const { id } = addOne(yard.board)
    setTraps(yard.path)
    const stubborn = yard.board.queue((board) => {
      try {
        board.comment(id, 'rollback', ann)
      } catch {
        // The trap.
      }
      return board.createTasks(titled('on its own'), ann)
    })
    await expect(stubborn).rejects.toThrow()
    expect(titlesIn(yard.path)).toEqual(['a task'])
  })
})

describe('a turn waits for the disk', () => {
  const open = (yard: TestBoard) => {
    const db = openDatabase({ random: yard.board.random }, yard.path)
    const seen: Durability[] = []
    const watched: Database = {
      ...db,
      write: (durability, work) => {
        seen.push(durability)
        return db.write(durability, work)
      },
    }
    const { clock, random } = yard.board
    const writer = buildWriter({ db: watched, store: buildStore(db), clock, random, news: buildNews() })
    const change = (durability: Durability) => () => writer.write({ actor: ann, durability, act: () => durability })
    return { db, seen, writer, change }
  }

  test('when one of its acts must; heartbeats alone do not', async () => {
    using yard = openOnDisk()
    const { db, seen, writer, change } = open(yard)
    await Promise.all([writer.queue(change('normal'), 'normal'), writer.queue(change('normal'), 'normal')])
    await Promise.all([writer.queue(change('normal'), 'normal'), writer.queue(change('full'), 'full')])
    expect(seen).toEqual(['normal', 'full'])
    db.close()
  })

  test('an act that says it need not, and then must, is refused: its answer would not be on the disk', async () => {
    using yard = openOnDisk()
    const { db, writer, change } = open(yard)
    await expect(writer.queue(change('full'), 'normal')).rejects.toThrow('queued as normal')
    db.close()
  })
})
