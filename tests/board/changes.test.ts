import { expect, test } from 'vitest'
import type { Change, NewAttachment } from '../../src/board/index.ts'
import type { RunId, TaskId } from '../../src/kernel/index.ts'
import { openHalfStateFinder } from './find-half-states.ts'
import { addOne, ann, backAtOnce, end, exit, one, openOnDisk, settle, start, startMs } from './open-test-board.ts'

const sha = (digit: string): string => digit.repeat(64)

function changeOf(run: RunId, over: Partial<Change> = {}): Change {
  return {
    run,
    repo: '/home/ann/shop',
    branch: 'yard/t1-build',
    baseRef: 'main',
    baseCommit: 'b'.repeat(40),
    headCommit: 'c'.repeat(40),
    commits: 2,
    fileCount: 3,
    insertions: 41,
    deletions: 12,
    files: [
      { path: 'src/a.ts', status: 'modified', insertions: 41, deletions: 12 },
      { path: '"odd\\nname"', status: 'added', insertions: null, deletions: null },
    ],
    leftOvers: true,
    outside: ['ci.yml'],
    patch: { sha256: sha('d'), bytes: 1234 },
    notes: ['HEAD was detached'],
    ...over,
  }
}

test('what an attempt changed is kept once, with all that is known of it, and told', () => {
  using yard = openOnDisk()
  const { board } = yard
  const task = addOne(board)
  const { run } = one(start(board))
  const change = changeOf(run.id)
  expect(board.changeOf(run.id)).toBeUndefined()
  board.recordChange({ fence: run.fence, ...change })
  board.recordChange({ fence: run.fence, ...change, fileCount: 9 })
  expect(board.changeOf(run.id)).toEqual(change)
  expect(board.lastChangeOf(task.id)).toEqual(change)
  const told = board.eventsAfter(0, 100).filter(({ kind }) => kind === 'run.changed')
  expect(told).toMatchObject([
    { text: 'T1 attempt 1 changed 3 files +41 -12 on yard/t1-build', run: run.id, task: task.id, data: { attempt: 1 } },
  ])
})

test('a change may still be recorded when the attempt has ended, not under another fence, and not when its card has moved', () => {
  using yard = openOnDisk()
  const { board } = yard
  addOne(board)
  const { run } = one(start(board))
  const nothing = changeOf(run.id, { fileCount: 0, insertions: 0, deletions: 0, files: [], patch: null })
  board.recordChange({ fence: run.fence ^ 1, ...nothing })
  expect(board.changeOf(run.id)).toBeUndefined()
  exit(board, run.id)
  board.recordChange({ fence: run.fence, ...nothing })
  expect(board.changeOf(run.id)).toEqual(nothing)
  expect(board.eventsAfter(0, 100).at(-1)?.text).toBe('T1 attempt 1 changed nothing on yard/t1-build')
  settle(board, run.id, { to: 'done' })

  addOne(board)
  const other = one(start(board)).run
  end(board, other.id, 'done', { to: 'done' })
  board.recordChange({ fence: other.fence, ...changeOf(other.id) })
  expect(board.changeOf(other.id)).toBeUndefined()
})

test('the newest change of a card is that of its newest attempt that left one', () => {
  using yard = openOnDisk()
  const { board } = yard
  const task = addOne(board)
  const runs = ['a', 'b', null].map((branch) => {
    const { run } = one(start(board))
    if (branch !== null) board.recordChange({ fence: run.fence, ...changeOf(run.id, { branch }) })
    end(board, run.id, 'failed', backAtOnce, 1)
    return run.id
  })
  expect(board.lastChangeOf(task.id)?.branch).toBe('b')
  expect([...board.changesOf(runs)].map(([run, { branch }]) => [run, branch])).toEqual([
    [runs[0], 'a'],
    [runs[1], 'b'],
  ])
})

const file = (task: TaskId, over: Partial<NewAttachment> = {}): NewAttachment => ({
  ...{ task, run: null, name: 'notes.txt', mediaType: 'text/plain', bytes: 3072, sha256: sha('1') },
  ...over,
})

test('files of a card: people and each attempt have their own names, and a second one of a name takes its place', () => {
  using yard = openOnDisk()
  const { board, clock } = yard
  const { id } = addOne(board)
  const { run } = one(start(board))
  const given = board.addAttachment(file(id), ann)
  expect(given).toEqual({ ...file(id), id: 1, by: 'ann', atMs: startMs })
  const made = board.addAttachment(file(id, { run: run.id, sha256: sha('2') }), { by: 'dispatcher' })
  clock.atMs += 5
  const again = board.addAttachment(file(id, { sha256: sha('3'), bytes: 1 }), { by: 'bob' })
  expect(again).toMatchObject({ id: given.id, by: 'bob', atMs: startMs + 5 })
  expect(board.attachmentsOf(id)).toEqual([again, made])
  expect(board.readAttachment(made.id)).toEqual(made)
  expect(board.readAttachment(99)).toBeUndefined()
  expect(board.eventsAfter(0, 100).flatMap(({ kind, text }) => (kind === 'task.attached' ? [text] : []))).toEqual([
    'T1 got notes.txt (3 KiB) from ann',
    'T1 got notes.txt (3 KiB) from dispatcher',
    'T1 got notes.txt (1 B) from bob',
  ])
  using sound = openHalfStateFinder(yard.path)
  expect(sound.findHalfStates()).toEqual([])
})

test('a file is used while a card or a patch has it, and no longer', () => {
  using yard = openOnDisk()
  const { board } = yard
  const { id } = addOne(board)
  const { run } = one(start(board))
  board.addAttachment(file(id), ann)
  board.recordChange({ fence: run.fence, ...changeOf(run.id) })
  expect([sha('1'), sha('d'), sha('9')].map((sha256) => board.isFileUsed(sha256))).toEqual([true, true, false])
  board.addAttachment(file(id, { sha256: sha('9') }), ann)
  expect([sha('1'), sha('d'), sha('9')].map((sha256) => board.isFileUsed(sha256))).toEqual([false, true, true])
})

test('a file is refused of no card and of an attempt at another card; one that is settled and archived takes it', () => {
  using yard = openOnDisk()
  const { board } = yard
  const { id } = addOne(board)
  const { run } = one(start(board))
  end(board, run.id, 'done', { to: 'done' })
  board.archiveTask(id, null, ann)
  const other = addOne(board)
  expect(() => board.addAttachment(file(other.id, { run: run.id }), ann)).toThrow('R1')
  expect(() => board.addAttachment(file(99 as TaskId), ann)).toThrow('T99')
  expect(board.addAttachment(file(id), ann).task).toBe(id)
})
