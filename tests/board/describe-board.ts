// biome-ignore-all lint/suspicious/noThenProperty: the public field of an explanation
import { describe, expect, test } from 'vitest'
import type { BoardEvent, HubPresence, Run } from '../../src/board/index.ts'
import { type RunId, type TaskId, taskId } from '../../src/kernel/index.ts'
import {
  add,
  addOne,
  ann,
  backAtOnce,
  claim,
  claimedTasks,
  end,
  exit,
  failedForGood,
  finish,
  limits,
  newTask,
  type OpenTestBoard,
  one,
  settle,
  spec,
  start,
  startMs,
  statusOf,
} from './open-test-board.ts'

/** What every way to open a board promises. */
export function describeBoard(how: string, open: OpenTestBoard): void {
  describe(`a board ${how}`, () => {
    describe('adds cards', () => {
      test('with their needs in one step: a card waits for what it needs, the others may start', () => {
        using yard = open()
        const [build, lint] = add(yard.board, [
          { rowKey: 'build' },
          { rowKey: 'lint', needs: [{ on: 'build', when: 'done' }] },
        ])
        expect([build?.status, lint?.status, lint?.openNeeds]).toEqual(['ready', 'todo', 1])
        expect(yard.board.needsOf(lint?.id ?? taskId(0))).toEqual([
          { task: build?.id, when: 'done', status: 'ready', title: 'a task' },
        ])
        expect(yard.board.childrenOf(build?.id ?? taskId(0))).toEqual([lint?.id])
      })

      test('or none of them: one bad card leaves nothing behind', () => {
        using yard = open()
        const bad = [newTask(), newTask({ lane: 'clade' })]
        expect(() => yard.board.createTasks({ board: 'shop', tasks: bad }, ann)).toThrow(
          expect.objectContaining({ code: 'BOARD_UNKNOWN_LANE', fix: expect.stringContaining('claude') }),
        )
        expect(yard.board.listTasks({}, { limit: 9 }).rows).toEqual([])
        expect(yard.board.lastSeq()).toBe(0)
      })

      test('as drafts that never start by themselves', () => {
        using yard = open()
        const draft = addOne(yard.board, { draft: true })
        expect(draft.status).toBe('triage')
        expect(claim(yard.board)).toEqual([])
        expect(yard.board.readyTask(draft.id, ann).status).toBe('ready')
        expect(yard.board.readyTask(draft.id, ann).status).toBe('ready')
      })

      test('keeps titles and prompts as they were typed, however long or odd', () => {
        using yard = open()
        const title = `--title $(rm -rf ~) \`x\` "quotes" 'more' ${'é漢🙂 עברית'.repeat(40)}`
        const prompt = 'word '.repeat(600_000)
        const task = addOne(yard.board, { spec: { title, prompt, dir: '/shop' } })
        expect(yard.board.readTask(task.id)?.title).toBe(title)
        expect(yard.board.readSpec(task.id)?.prompt).toBe(prompt)
      })

      test('and refuses cards that do nothing, do two things, or have no title', () => {
        using yard = open()
        const codeOf = (bad: object): unknown => {
          try {
            return addOne(yard.board, { spec: { ...spec(), ...bad } })
          } catch (fault) {
            return (fault as { code: string }).code
          }
        }
        expect(codeOf({ prompt: 'a' })).toBe('BOARD_TASK_DOUBLE')
        expect(codeOf({ run: undefined })).toBe('BOARD_TASK_EMPTY')
        expect(codeOf({ title: '' })).toBe('BOARD_TASK_UNTITLED')
        expect(() => addOne(yard.board, { priority: 10 })).toThrow('from -9 to 9')
        expect(() => addOne(yard.board, {}, 'My Board')).toThrow('cannot be the name of a board')
      })
    })

    describe('guards against duplicates', () => {
      test('C135: a key is free again once its card has ended; while it is open the answer says "existing", with id and status', () => {
        using yard = open()
        const create = () => one(yard.board.createTasks({ board: 'shop', tasks: [newTask({ key: 'alert' })] }, ann))
        const first = create()
        expect(first).toMatchObject({ created: true, task: { status: 'ready' } })
        expect(create()).toMatchObject({ created: false, task: { id: first.task.id, status: 'ready' } })
        finish(yard.board, first.task.id)
        const second = create()
        expect(second.created).toBe(true)
        expect(second.task.id).not.toBe(first.task.id)
      })

      test('C136: whether the first waits, runs, failed or is done, each answer tells what happened and no two open cards share a key', () => {
        using yard = open()
        const create = () => one(yard.board.createTasks({ board: 'shop', tasks: [newTask({ key: 'k' })] }, ann))
        const openWithKey = () =>
          yard.board.listTasks({ key: 'k' }, { limit: 9 }).rows.filter((task) => task.settledAtMs === null).length

        const first = create()
        const { run } = one(start(yard.board))
        expect(create()).toMatchObject({ created: false, task: { id: first.task.id, status: 'running' } })
        end(yard.board, run.id, 'failed', failedForGood, 1)
        const second = create()
        expect(second.created).toBe(true)
        expect(openWithKey()).toBe(1)
        expect(() => yard.board.retryTask(first.task.id, null, ann)).toThrow(
          expect.objectContaining({
            code: 'BOARD_KEY_TAKEN',
            message: `T1 cannot open again: its key "k" is held by T${second.task.id} (ready)`,
          }),
        )
        finish(yard.board, second.task.id)
        expect(yard.board.retryTask(first.task.id, null, ann).status).toBe('ready')
        expect(create()).toMatchObject({ created: false, task: { id: first.task.id } })
        expect(openWithKey()).toBe(1)
      })

      test('C136: twice the same key in one call makes one card', () => {
        using yard = open()
        const tasks = [newTask({ key: 'k' }), newTask({ key: 'k' })]
        const made = yard.board.createTasks({ board: 'shop', tasks }, ann)
        expect(made.map(({ created, task }) => [created, task.id])).toEqual([
          [true, 1],
          [false, 1],
        ])
      })

      test('a key guards one board only', () => {
        using yard = open()
        addOne(yard.board, { key: 'k' })
        expect(addOne(yard.board, { key: 'k' }, 'other').id).toBe(2)
      })
    })

    describe('keeps needs', () => {
      test('C78: a circle is refused and named, whichever way it would close, and nothing is written', () => {
        using yard = open()
        const need = (on: TaskId | string) => ({ on, when: 'done' as const })
        const circle = [newTask({ rowKey: 'a', needs: [need('b')] }), newTask({ rowKey: 'b', needs: [need('a')] })]
        expect(() => yard.board.createTasks({ board: 'shop', tasks: circle }, ann)).toThrow('a -> b -> a')
        expect(() => addOne(yard.board, { rowKey: 'a', needs: [need('a')] })).toThrow('a -> a')
        expect(yard.board.counts()).toMatchObject({ ready: 0, todo: 0 })

        const [a, b, c] = add(yard.board, [
          { rowKey: 'a' },
          { rowKey: 'b', needs: [need('a')] },
          { rowKey: 'c', needs: [need('b')] },
        ]).map(({ id }) => id)
        const seq = yard.board.lastSeq()
        const link = (from: TaskId | undefined, on: TaskId | undefined) => () =>
          yard.board.editTask(from ?? taskId(0), { addNeeds: [{ task: on ?? taskId(0), when: 'always' }] }, ann)
        expect(link(a, c)).toThrow(expect.objectContaining({ code: 'BOARD_NEED_CYCLE' }))
        expect(link(a, c)).toThrow('T1 -> T3 -> T2 -> T1')
        expect(link(a, a)).toThrow('T1 -> T1')
        expect(link(a, taskId(99))).toThrow('there is no task T99')
        expect(yard.board.lastSeq()).toBe(seq)
        expect(yard.board.needsOf(a ?? taskId(0))).toEqual([])

        // The same link is welcome once the other way is gone.
        yard.board.editTask(c ?? taskId(0), { removeNeeds: [b ?? taskId(0)] }, ann)
        expect(link(a, c)().status).toBe('todo')
      })

      test('C74: a card is ready with its last need, also when that was done before the link was made', () => {
        using yard = open()
        const [a, b, child] = add(yard.board, [
          { rowKey: 'a' },
          { rowKey: 'b' },
          {
            needs: [
              { on: 'a', when: 'done' },
              { on: 'b', when: 'done' },
            ],
          },
        ]).map(({ id }) => id) as [TaskId, TaskId, TaskId]
        const claims = start(yard.board)
        for (const { run, task } of claims) {
          expect(statusOf(yard.board, child)).toBe('todo')
          expect([a, b]).toContain(task.id)
          end(yard.board, run.id, 'done', { to: 'done' })
        }
        expect(yard.board.readTask(child)).toMatchObject({ status: 'ready', openNeeds: 0 })
        expect(addOne(yard.board, { needs: [{ on: a, when: 'done' }] }).status).toBe('ready')
        expect(yard.board.editTask(child, { addNeeds: [{ task: b, when: 'done' }] }, ann).status).toBe('ready')
      })

      test('C74: a block that a person set is not lifted by the end of a need', () => {
        using yard = open()
        const [parent, child] = add(yard.board, [{ rowKey: 'p' }, { needs: [{ on: 'p', when: 'done' }] }]).map(
          ({ id }) => id,
        ) as [TaskId, TaskId]
        yard.board.blockTask(child, 'wait for Bob', ann)
        finish(yard.board, parent)
        expect(yard.board.readTask(child)).toMatchObject({ status: 'blocked', openNeeds: 0, holdText: 'wait for Bob' })
        expect(yard.board.unblockTask(child, ann).status).toBe('ready')
      })

      test('C77: unblocking a card changes that card only: its link stays and its child goes on waiting', () => {
        using yard = open()
        const [parent, child] = add(yard.board, [{ rowKey: 'p' }, { needs: [{ on: 'p', when: 'done' }] }]).map(
          ({ id }) => id,
        ) as [TaskId, TaskId]
        yard.board.blockTask(parent, 'wait', ann)
        yard.board.unblockTask(parent, ann)
        expect(statusOf(yard.board, parent)).toBe('ready')
        expect(yard.board.readTask(child)).toMatchObject({ status: 'todo', openNeeds: 1 })
        expect(yard.board.needsOf(child)).toMatchObject([{ task: parent, when: 'done' }])
      })

      test('a need that failed or was cancelled leaves its children waiting with that reason, unless the link says always', () => {
        using yard = open()
        const [parent, strict, always] = add(yard.board, [
          { rowKey: 'p' },
          { needs: [{ on: 'p', when: 'done' }] },
          { needs: [{ on: 'p', when: 'always' }] },
        ]).map(({ id }) => id) as [TaskId, TaskId, TaskId]
        end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
        expect(statusOf(yard.board, strict)).toBe('todo')
        expect(statusOf(yard.board, always)).toBe('ready')
        expect(yard.board.explainTask(strict, 'up')).toMatchObject({
          code: 'need_failed',
          says: 'T2 does not run: it needs T1 (failed)',
          youCan: ['yardmaster retry T1', 'yardmaster cancel T2'],
        })
        // The retry closes the other link again: its end is no end any more.
        yard.board.retryTask(parent, null, ann)
        expect(statusOf(yard.board, always)).toBe('todo')
        finish(yard.board, parent)
        expect([statusOf(yard.board, strict), statusOf(yard.board, always)]).toEqual(['ready', 'ready'])
      })

      test('running a done card again makes its waiting children wait, lets running ones end, and names the done ones', () => {
        using yard = open()
        const parent = addOne(yard.board)
        finish(yard.board, parent.id)
        const needs = [{ on: parent.id, when: 'done' as const }]
        const done = addOne(yard.board, { needs })
        finish(yard.board, done.id)
        const running = addOne(yard.board, { needs })
        const { run } = one(start(yard.board))
        const waiting = addOne(yard.board, { needs })

        yard.board.retryTask(parent.id, 'the input was wrong', ann)
        expect(statusOf(yard.board, waiting.id)).toBe('todo')
        expect(statusOf(yard.board, running.id)).toBe('running')
        expect(statusOf(yard.board, done.id)).toBe('done')
        const retried = yard.board.eventsAfter(0, 999).find(({ kind }) => kind === 'task.retried')
        expect(retried?.data).toEqual({ doneChildren: [done.id] })
        expect(yard.board.comments(parent.id)).toMatchObject([{ by: 'ann', text: 'the input was wrong' }])

        end(yard.board, run.id, 'failed', backAtOnce, 1)
        expect(yard.board.readTask(running.id)).toMatchObject({ status: 'todo', openNeeds: 1, failures: 1 })
      })
    })

    describe('claims in order', () => {
      test('C130: every priority in random order starts highest first, oldest first within one, and lists show the same order', () => {
        using yard = open()
        const priorities = [3, -9, 0, 9, 0, -2, 3, 9, -9, 1, 0]
        add(
          yard.board,
          priorities.map((priority) => ({ priority })),
        )
        const listed = yard.board.listTasks({ status: ['ready'] }, { limit: 99 }).rows.map(({ id }) => id)
        const started: TaskId[] = []
        for (let turn = 0; turn < priorities.length; turn += 1) {
          const { task, run } = one(start(yard.board, 1))
          started.push(task.id)
          end(yard.board, run.id, 'done', { to: 'done' })
        }
        const documented = priorities
          .map((priority, index) => ({ priority, id: index + 1 }))
          .sort((a, b) => b.priority - a.priority || a.id - b.id)
          .map(({ id }) => id)
        expect(started).toEqual(documented)
        expect(listed).toEqual(documented)
      })

      test('a lone card of another board is among the next starts, however many one board has waiting', () => {
        using yard = open()
        add(
          yard.board,
          Array.from({ length: 50 }, () => ({})),
        )
        expect(claimedTasks(yard.board, 2)).toEqual([1, 2])
        const lone = addOne(yard.board, {}, 'other')
        expect(claimedTasks(yard.board, 2)).toContain(lone.id)
      })

      test('C129: never more than the slots, of 50 that are ready', () => {
        using yard = open()
        add(
          yard.board,
          Array.from({ length: 50 }, () => ({})),
        )
        const claims = claim(yard.board)
        expect(claims.map(({ run }) => run.slot)).toEqual([0, 1, 2, 3])
        expect(claim(yard.board)).toEqual([])
        exit(yard.board, claims[1]?.run.id ?? one([]))
        // The slot is free at the exit, before the tree of the attempt is gone; it keeps the least number.
        expect(one(claim(yard.board)).run.slot).toBe(1)
      })

      test('a changed limit holds from the next claim on', () => {
        using yard = open()
        yard.board.applyLimits(limits({ slots: 1 }))
        add(
          yard.board,
          Array.from({ length: 9 }, () => ({})),
        )
        expect(claim(yard.board)).toHaveLength(1)
        yard.board.applyLimits(limits({ slots: 3 }))
        expect(claim(yard.board)).toHaveLength(2)
        expect(claim(yard.board)).toHaveLength(0)
      })

      test('a head that cannot start never stops the next', () => {
        using yard = open()
        yard.board.applyLimits(
          limits({
            lanes: { command: { account: null, slots: null }, claude: { account: 'claude', slots: 1 } },
            accounts: { claude: { slots: null } },
          }),
        )
        const held = add(yard.board, [
          { lane: 'claude', priority: 9 },
          { lane: 'claude', priority: 9 },
        ])
        const free = addOne(yard.board)
        expect(claimedTasks(yard.board)).toEqual([held[0]?.id, free.id])
        expect(yard.board.explainTask(held[1]?.id ?? taskId(0), 'up')).toMatchObject({
          code: 'lane_full',
          says: 'T2 does not run: lane claude has its one slot taken, by T1',
        })
      })

      test('slots of an account count over all its lanes', () => {
        using yard = open()
        const lanes = { a: { account: 'x', slots: null }, b: { account: 'x', slots: null } }
        yard.board.applyLimits(limits({ lanes, accounts: { x: { slots: 2 } } }))
        add(yard.board, [{ lane: 'a' }, { lane: 'b' }, { lane: 'a' }])
        expect(claimedTasks(yard.board)).toEqual([1, 2])
        expect(yard.board.explainTask(taskId(3), 'up')).toMatchObject({
          code: 'account_full',
          says: 'T3 does not run: account x has all 2 slots taken, by T1 T2',
        })
      })

      test('one task at a time works in a folder that is not shared, until its processes are gone', () => {
        using yard = open()
        const inFolder = (path: string, shared = false) => ({
          spec: spec({ workspace: { kind: 'dir', path, shared } }),
        })
        add(yard.board, [inFolder('/a'), inFolder('/a'), inFolder('/b'), inFolder('/s', true), inFolder('/s', true)])
        yard.board.applyLimits(limits({ slots: 9 }))
        const claims = start(yard.board)
        expect(claims.map(({ task }) => task.id)).toEqual([1, 3, 4, 5])
        expect(yard.board.explainTask(taskId(2), 'up')).toMatchObject({
          code: 'folder_busy',
          says: 'T2 does not run: T1 works in /a',
        })
        const first = claims[0]?.run.id ?? one([])
        exit(yard.board, first)
        expect(claim(yard.board)).toEqual([])
        settle(yard.board, first, { to: 'done' })
        expect(claimedTasks(yard.board)).toEqual([2])
      })

      test('a card waits for its own time and starts when it has come', () => {
        using yard = open()
        const later = addOne(yard.board, { notBeforeMs: startMs + 60_000 })
        expect(later).toMatchObject({ status: 'ready', notBeforeMs: startMs + 60_000 })
        expect(yard.board.openDue()).toBe(0)
        expect(claim(yard.board)).toEqual([])
        expect(yard.board.nextDueMs()).toBe(startMs + 60_000)
        expect(yard.board.explainTask(later.id, 'up')).toMatchObject({
          code: 'later',
          says: 'T1 does not run: it waits until 13:01, in 1 min',
          untilMs: startMs + 60_000,
        })
        yard.clock.atMs += 60_000
        expect(yard.board.openDue()).toBe(1)
        expect(yard.board.nextDueMs()).toBe(null)
        expect(claimedTasks(yard.board)).toEqual([later.id])
      })

      test('a card that waits for a time starts now when a person tries it, as the answer to why says', () => {
        using yard = open()
        const later = addOne(yard.board, { notBeforeMs: startMs + 60_000 })
        expect(yard.board.explainTask(later.id, 'up').youCan).toEqual([`yardmaster retry T${later.id} (now)`])
        expect(yard.board.retryTask(later.id, null, ann)).toMatchObject({ status: 'ready', notBeforeMs: null })
        expect(claimedTasks(yard.board)).toEqual([later.id])
      })

      test('a time that is set or taken away by an edit counts', () => {
        using yard = open()
        const task = addOne(yard.board)
        yard.board.editTask(task.id, { notBeforeMs: startMs + 5_000 }, ann)
        expect(claim(yard.board)).toEqual([])
        yard.board.editTask(task.id, { notBeforeMs: null }, ann)
        expect(claimedTasks(yard.board)).toEqual([task.id])
      })

      test('C63: cards that wait for a person are never started, over 100 turns', () => {
        using yard = open()
        const ids = add(yard.board, [{}, {}, {}, {}]).map(({ id }) => id)
        for (const id of ids) yard.board.blockTask(id, 'ask Bob', ann)
        for (let turn = 0; turn < 100; turn += 1) {
          yard.clock.atMs += 60_000
          yard.board.openDue()
          expect(claim(yard.board)).toEqual([])
        }
        expect(ids.flatMap((id) => yard.board.runsOf(id))).toEqual([])
      })

      test('C72: a blocked card without needs stays blocked while others come and go, until a person unblocks it', () => {
        using yard = open()
        const blocked = addOne(yard.board)
        yard.board.blockTask(blocked.id, 'not before Monday', ann)
        for (let turn = 0; turn < 10; turn += 1) finish(yard.board, addOne(yard.board).id)
        expect(yard.board.readTask(blocked.id)).toMatchObject({ status: 'blocked', runs: 0 })
        expect(yard.board.unblockTask(blocked.id, ann).status).toBe('ready')
      })

      test('C59: a card at its failure limit does not run again in 1,000 turns; only a person resets the count', () => {
        using yard = open()
        const parent = addOne(yard.board)
        finish(yard.board, parent.id)
        const task = addOne(yard.board, { needs: [{ on: parent.id, when: 'done' }] })
        end(yard.board, one(start(yard.board)).run.id, 'failed', backAtOnce, 1)
        end(yard.board, one(start(yard.board)).run.id, 'failed', failedForGood, 1)
        const turns = how === 'opened again before each call' ? 50 : 1_000
        for (let turn = 0; turn < turns; turn += 1) {
          yard.clock.atMs += 1_000
          yard.board.openDue()
          expect(claim(yard.board)).toHaveLength(0)
        }
        expect(yard.board.readTask(task.id)).toMatchObject({ status: 'failed', runs: 2, failures: 2 })
        expect(yard.board.tally(task.id).ends).toHaveLength(2)
        expect(yard.board.retryTask(task.id, null, ann)).toMatchObject({ status: 'ready', failures: 0 })
        expect(yard.board.tally(task.id)).toEqual({ failures: 0, reviewFailures: 0, ends: [] })
      })

      test('a card that could not start is recorded and moves, and the next one starts in its place', () => {
        using yard = open()
        const [bad, good] = add(yard.board, [{ spec: spec({ title: 'bad' }) }, {}])
        const claims = yard.board.claim({
          max: 1,
          prepare: (task) =>
            task.title === 'bad'
              ? {
                  ok: false,
                  outcome: 'launch_failed',
                  reason: 'no such command: nope',
                  move: { to: 'blocked', code: 'launch_failed', text: 'no such command: nope' },
                }
              : { ok: true, settings: '{"a":1}' },
        })
        expect(claims.map(({ task }) => task.id)).toEqual([good?.id])
        expect(one(claims).run.settings).toBe('{"a":1}')
        expect(yard.board.readTask(bad?.id ?? taskId(0))).toMatchObject({
          status: 'blocked',
          holdText: 'no such command: nope',
          failures: 0,
        })
        expect(yard.board.runsOf(bad?.id ?? taskId(0))).toMatchObject([
          { outcome: 'launch_failed', phase: 'settled', pid: null, reason: 'no such command: nope' },
        ])
      })

      test('a refusal that sends its card straight back is not repeated for ever', () => {
        using yard = open()
        const task = addOne(yard.board)
        let asked = 0
        const refuse = () => {
          asked += 1
          return { ok: false, outcome: 'launch_failed', reason: 'x', move: backAtOnce } as const
        }
        expect(yard.board.claim({ max: 4, prepare: refuse })).toEqual([])
        expect(asked).toBe(1)
        expect(yard.board.readTask(task.id)).toMatchObject({ status: 'ready', runs: 1 })
      })
    })

    describe('records attempts once', () => {
      test('from claim to settled, each step only under the fence of the attempt', () => {
        using yard = open()
        const task = addOne(yard.board)
        const { run } = one(claim(yard.board))
        expect(run).toMatchObject({ attempt: 1, phase: 'claimed', pid: null, slot: 0, probe: false })
        expect(run.fence).toBeGreaterThan(0)
        expect(run.fence).toBeLessThan(2 ** 31)
        const identity = { run: run.id, pid: 4711, fingerprint: 'boot|1', startedMonotonic: 'boot 5' }
        expect([...yard.board.recordStarted([{ ...identity, fence: run.fence + 1 }])]).toEqual([])
        expect([...yard.board.recordStarted([{ ...identity, fence: run.fence }])]).toEqual([run.id])
        expect([...yard.board.recordStarted([{ ...identity, fence: run.fence }])]).toEqual([])
        expect(yard.board.readRun(run.id)).toMatchObject({ phase: 'started', pid: 4711, fingerprint: 'boot|1' })

        yard.board.recordRung({ run: run.id, fence: run.fence + 1, rung: 'KILL' })
        expect(yard.board.readRun(run.id)?.rung).toBe(null)
        yard.board.recordRung({ run: run.id, fence: run.fence, rung: 'KILL' })
        yard.board.recordRung({ run: run.id, fence: run.fence, rung: 'TERM' })
        expect(yard.board.readRun(run.id)?.rung).toBe('KILL')

        settle(yard.board, run.id, { to: 'done' })
        expect(statusOf(yard.board, task.id)).toBe('running')
        exit(yard.board, run.id, 'done')
        exit(yard.board, run.id, 'failed', 1)
        expect(yard.board.readRun(run.id)).toMatchObject({ phase: 'exited', outcome: 'done', exitCode: 0 })
        expect(yard.board.openRuns().map(({ id }) => id)).toEqual([run.id])
        settle(yard.board, run.id, { to: 'done' })
        settle(yard.board, run.id, failedForGood, 1)
        expect(yard.board.readTask(task.id)).toMatchObject({ status: 'done', openRun: null, failures: 0, runs: 1 })
        expect(yard.board.openRuns()).toEqual([])
      })

      test('the first reason to stop wins, and an attempt with one does not get its go', () => {
        using yard = open()
        addOne(yard.board)
        const { run } = one(claim(yard.board))
        const stop = { kind: 'timeout', by: 'dispatcher', text: 'longer than 2h' } as const
        expect(yard.board.recordStop(run.id, stop)).toBe(true)
        expect(yard.board.recordStop(run.id, { kind: 'cancel', by: 'ann', text: '' })).toBe(false)
        const identity = { run: run.id, fence: run.fence, pid: 9, fingerprint: 'f', startedMonotonic: 'b 1' }
        expect([...yard.board.recordStarted([identity])]).toEqual([])
        expect(yard.board.readRun(run.id)).toMatchObject({ pid: null, stop: { kind: 'timeout' } })
        exit(yard.board, run.id, 'interrupted', null)
        expect(yard.board.recordStop(run.id, stop)).toBe(false)
      })

      test('counts tokens and cost as reported, and unknown is not 0', () => {
        using yard = open()
        add(yard.board, [{}, {}])
        const [a, b] = start(yard.board).map(({ run }) => run) as [Run, Run]
        const facts = { exitCode: 0, signal: null, outputTail: 'x', result: 'r', data: '{"n":1}', stopDelivered: true }
        const usage = { inputTokens: 5, cachedTokens: 2, outputTokens: 1, calls: 1 }
        const spent = { model: 'm', costUsd: 0.25, counts: { replies: 1, guard_loop: 2 }, compactions: 1 }
        yard.board.recordExited([
          { run: a.id, fence: a.fence, outcome: 'done', reason: 'r', usage, spent, ...facts },
          { run: b.id, fence: b.fence, outcome: 'done', reason: 'r', usage: null, ...facts },
        ])
        expect(yard.board.readRun(a.id)).toMatchObject({ usage, result: 'r', data: '{"n":1}', stopDelivered: true })
        expect(yard.board.readRun(a.id)?.spent).toEqual(spent)
        expect(yard.board.readRun(b.id)).toMatchObject({ usage: null, spent: null, settings: b.settings })
      })

      test('tallies ends newest first since the last done or act of a person, with what counts to a cap', () => {
        using yard = open()
        const task = addOne(yard.board)
        const again = (outcome: 'tempfail' | 'failed', countsToCap: boolean) => {
          const { run } = one(start(yard.board))
          exit(yard.board, run.id, outcome, 75)
          yard.board.recordSettled([{ run: run.id, fence: run.fence, move: backAtOnce, failures: 0, countsToCap }])
        }
        again('tempfail', true)
        again('failed', false)
        expect(yard.board.tally(task.id).ends).toMatchObject([
          { outcome: 'failed', countsToCap: false, exitCode: 75 },
          { outcome: 'tempfail', countsToCap: true },
        ])
        finish(yard.board, task.id)
        expect(yard.board.tally(task.id).ends).toEqual([])
        expect(yard.board.runsOf(task.id).map(({ attempt }) => attempt)).toEqual([1, 2, 3])
        expect(yard.board.lastRun(task.id)?.attempt).toBe(3)
      })

      test('lists know the newest attempt of each card and the end of its result, and not all that it left', () => {
        using yard = open()
        add(yard.board, [{}, {}])
        const [a] = start(yard.board, 1).map(({ run }) => run) as [Run]
        const left = { outputTail: 'x', result: `${'r'.repeat(2_000)}end`, data: '{"n":1}' }
        const facts = { exitCode: 0, signal: null, usage: null, stopDelivered: false, ...left }
        yard.board.recordExited([{ run: a.id, fence: a.fence, outcome: 'done', reason: 'r', ...facts }])
        const runs = yard.board.lastRuns([taskId(1), taskId(2)])
        expect([...runs.keys()]).toEqual([1])
        const { result, data, judged, ...fields } = yard.board.readRun(a.id) as Run
        expect(runs.get(taskId(1))).toEqual({ ...fields, resultTail: result?.slice(-1_000) })
        expect(data).toBe(left.data)
      })
    })

    describe('does what a person says', () => {
      test('cancelling a running card is a wish: it ends first, and is then cancelled unless it was done', () => {
        using yard = open()
        const [a, b] = add(yard.board, [{}, {}]).map(({ id }) => id) as [TaskId, TaskId]
        const [runA, runB] = start(yard.board).map(({ run }) => run.id) as [RunId, RunId]
        expect(yard.board.cancelTask(a, ann)).toMatchObject({ status: 'running', wish: 'cancel' })
        expect(yard.board.cancelTask(a, ann)).toMatchObject({ status: 'running', wish: 'cancel' })
        expect(yard.board.stopTask(a, null, ann).wish).toBe('cancel')
        yard.board.cancelTask(b, ann)
        end(yard.board, runA, 'cancelled', backAtOnce)
        end(yard.board, runB, 'done', { to: 'done' })
        expect(yard.board.readTask(a)).toMatchObject({ status: 'cancelled', wish: null, holdBy: 'ann' })
        expect(yard.board.readTask(b)).toMatchObject({ status: 'done', wish: null })
        expect(yard.board.cancelTask(a, ann).status).toBe('cancelled')
        expect(() => yard.board.cancelTask(b, ann)).toThrow('T2 is done and cannot be cancelled')
      })

      test('stopping a running card keeps it from going back; stopping a waiting one blocks it with who and why', () => {
        using yard = open()
        const running = addOne(yard.board)
        const { run } = one(start(yard.board))
        const waiting = addOne(yard.board)
        expect(yard.board.stopTask(running.id, 'wrong branch', ann).wish).toBe('stop')
        end(yard.board, run.id, 'interrupted', backAtOnce)
        expect(yard.board.readTask(running.id)).toMatchObject({
          status: 'blocked',
          holdCode: 'stopped',
          holdText: 'stopped by ann: wrong branch',
          holdBy: 'ann',
        })
        expect(yard.board.stopTask(waiting.id, null, ann)).toMatchObject({
          status: 'blocked',
          holdText: 'stopped by ann',
        })
        expect(yard.board.stopTask(waiting.id, null, ann).status).toBe('blocked')
        expect(yard.board.retryTask(running.id, null, ann).status).toBe('ready')
      })

      test('a status is told in the words of people, never by its code', () => {
        using yard = open()
        const [draft] = add(yard.board, [{ rowKey: 'a', draft: true }, { needs: [{ on: 'a', when: 'done' }] }])
        expect(yard.board.explainTask(taskId(2), 'up').says).toBe('T2 does not run: it waits for T1 (draft)')
        expect(() => yard.board.retryTask(taskId(2), null, ann)).toThrow('T2 is waiting and cannot be retried')
        yard.board.blockTask(taskId(1), 'ask Bob', ann)
        expect(yard.board.explainTask(taskId(2), 'up').says).toBe('T2 does not run: it waits for T1 (needs you)')
        expect(draft?.status).toBe('triage')
      })

      test('what runs can be neither blocked, edited nor retried: the live attempt is named', () => {
        using yard = open()
        const { id } = addOne(yard.board)
        start(yard.board)
        const refused = expect.objectContaining({
          code: 'BOARD_TASK_RUNNING',
          message: expect.stringContaining('its attempt R1 runs'),
          fix: expect.stringContaining('yardmaster stop T1'),
        })
        expect(() => yard.board.blockTask(id, 'x', ann)).toThrow(refused)
        expect(() => yard.board.editTask(id, { priority: 1 }, ann)).toThrow(refused)
        expect(() => yard.board.retryTask(id, null, ann)).toThrow(refused)
      })

      test('a refused act says what is possible now', () => {
        using yard = open()
        const { id } = addOne(yard.board)
        expect(() => yard.board.unblockTask(id, ann)).toThrow(
          expect.objectContaining({
            code: 'BOARD_MOVE_REFUSED',
            message: 'T1 is ready and cannot be unblocked',
            fix: 'possible now: yardmaster block T1 "…" · yardmaster cancel T1',
          }),
        )
        finish(yard.board, id)
        expect(() => yard.board.blockTask(id, 'x', ann)).toThrow('T1 is done and cannot be blocked')
        expect(() => yard.board.readyTask(taskId(9), ann)).toThrow('there is no task T9')
      })

      test('an edit changes text, lane, priority and labels, and what lists and queues say follows', () => {
        using yard = open()
        const task = addOne(yard.board, { spec: spec({ labels: ['old'], timeoutMs: 5 }) })
        const patch = { spec: { title: 'new', labels: ['a', 'b', 'a'] }, lane: 'claude', priority: 4 }
        expect(yard.board.editTask(task.id, patch, ann)).toMatchObject({
          title: 'new',
          lane: 'claude',
          priority: 4,
          labels: ['a', 'b'],
        })
        expect(yard.board.readSpec(task.id)).toMatchObject({ title: 'new', run: 'true', timeoutMs: 5 })
        const ids = (filter: object) => yard.board.listTasks(filter, { limit: 9 }).rows.map(({ id }) => id)
        expect(ids({ label: 'old' })).toEqual([])
        expect(ids({ label: 'b' })).toEqual([task.id])
        expect(ids({ lane: 'claude' })).toEqual([task.id])
        yard.board.setHold({ scope: 'lane', name: 'command', kind: 'pause', text: null }, ann)
        expect(one(claim(yard.board)).run).toMatchObject({ lane: 'claude', account: 'claude' })
      })

      test('pause and drain of everything, a board, a lane or an account keep new starts back until they are lifted', () => {
        using yard = open()
        const task = addOne(yard.board, { lane: 'claude' })
        const holds = [
          ['all', null, 'yardmaster resume', 'everything is paused'],
          ['board', 'shop', 'yardmaster resume --board shop', 'board shop is paused'],
          ['lane', 'claude', 'yardmaster resume --lane claude', 'lane claude is paused'],
          ['account', 'claude', 'yardmaster resume --account claude', 'account claude is paused'],
        ] as const
        for (const [scope, name, resume, says] of holds) {
          yard.board.setHold({ scope, name, kind: 'pause', text: 'deploy' }, ann)
          yard.board.setHold({ scope, name, kind: 'drain', text: null }, { by: 'bob' })
          expect(claim(yard.board)).toEqual([])
          expect(yard.board.explainTask(task.id, 'up')).toMatchObject({
            code: expect.stringMatching(/paused|draining/),
            youCan: [resume],
          })
          expect(yard.board.holds()).toHaveLength(2)
          expect(yard.board.liftHold(scope, name, ann)).toBe(2)
          expect(yard.board.liftHold(scope, name, ann)).toBe(0)
          yard.board.setHold({ scope, name, kind: 'pause', text: null }, ann)
          expect(yard.board.explainTask(task.id, 'up').says).toBe(`T1 does not run: ${says}, by ann`)
          yard.board.liftHold(scope, name, ann)
        }
        expect(claimedTasks(yard.board)).toEqual([task.id])
        const hold = { scope: 'lane', name: 'clade', kind: 'pause', text: null } as const
        expect(() => yard.board.setHold(hold, ann)).toThrow('there is no lane "clade"')
        expect(() => yard.board.setHold({ ...hold, scope: 'board', name: null }, ann)).toThrow('needs its name')
      })
    })

    test('a pause of a person on a lane that the hub holds itself stands until a person lifts it', () => {
      using yard = open()
      const hub = { by: 'dispatcher' }
      const pause = { scope: 'lane', name: 'claude', kind: 'pause', text: 'deploy' } as const
      yard.board.setHold({ ...pause, text: 'no key' }, hub)
      yard.board.setHold(pause, ann)
      expect(yard.board.holds()).toMatchObject([{ by: 'ann', text: 'deploy' }])
      yard.board.setHold({ ...pause, text: 'no key' }, hub)
      expect(yard.board.liftHold('lane', 'claude', hub)).toBe(0)
      expect(yard.board.holds()).toMatchObject([{ by: 'ann', text: 'deploy' }])
      yard.board.setHold({ ...pause, text: 'later' }, { by: 'bob' })
      expect(yard.board.holds()).toMatchObject([{ by: 'ann', text: 'deploy' }])
      expect(yard.board.liftHold('lane', 'claude', ann)).toBe(1)
      yard.board.setHold({ ...pause, kind: 'drain' }, ann)
      yard.board.setHold({ ...pause, text: 'no key' }, hub)
      expect(yard.board.liftHold('lane', 'claude', hub)).toBe(1)
      expect(yard.board.holds()).toMatchObject([{ by: 'ann', kind: 'drain' }])
      yard.board.setHold({ ...pause, text: 'no key' }, hub)
      expect(yard.board.liftHold('lane', 'claude', ann)).toBe(2)
    })

    describe('keeps accounts', () => {
      test('a closed one starts nothing until its time, then lets one through: not the closer, and the one that met it least often', () => {
        using yard = open()
        add(yard.board, [{ lane: 'claude' }, { lane: 'claude' }, { lane: 'claude' }, {}])
        yard.board.applyLimits(limits({ slots: 2 }))
        const [first, second] = start(yard.board).map(({ run }) => run) as [Run, Run]
        yard.clock.atMs += 1_000
        for (const run of [first, second]) end(yard.board, run.id, 'tempfail', backAtOnce)
        const untilMs = startMs + 61_000
        const closing = { account: 'claude', untilMs, reason: 'rate limit', byRun: first.id, doublings: 0 }
        yard.board.closeGate(closing)
        expect(yard.board.readGate('claude')).toMatchObject({ untilMs, probeRun: null, closedByRun: first.id })
        expect(claimedTasks(yard.board)).toEqual([4])
        expect(yard.board.explainTask(taskId(1), 'up')).toMatchObject({
          code: 'account_held',
          says: 'T1 does not run: account claude is held until 13:01, in 1 min',
          sinceMs: startMs + 1_000,
          untilMs,
          then: 'one task tries it at 13:01: T3 is first, the others follow',
          youCan: ['yardmaster edit T1 --lane LANE', 'yardmaster resume --account claude (try now)'],
        })
        expect(yard.board.nextDueMs()).toBe(untilMs)

        yard.clock.atMs = untilMs
        expect(yard.board.nextDueMs()).toBe(null)
        expect(yard.board.explainTask(taskId(3), 'up').says).toContain('T3 is next')
        const probe = one(claim(yard.board))
        expect(probe).toMatchObject({ task: { id: 3 }, run: { probe: true } })
        expect(yard.board.readGate('claude')?.probeRun).toBe(probe.run.id)
        expect(claim(yard.board)).toEqual([])
        expect(yard.board.explainTask(taskId(1), 'up').code).toBe('account_probing')

        // Lost without a word about the account: the next may go at once, and it is not the closer.
        end(yard.board, probe.run.id, 'lost', { to: 'blocked', code: 'lost', text: 'cut' })
        const next = one(claim(yard.board))
        expect(next).toMatchObject({ task: { id: 2 }, run: { probe: true } })
        yard.board.openGate('claude', 'served', { by: 'dispatcher' })
        expect(yard.board.readGate('claude')).toMatchObject({ untilMs: null, probeRun: null, sinceMs: null })
        exit(yard.board, next.run.id)
        expect(one(claim(yard.board)).run).toMatchObject({ probe: false })
      })

      test('the closer itself is sent when there is no other, and a longer time replaces the shorter', () => {
        using yard = open()
        addOne(yard.board, { lane: 'claude' })
        const { run } = one(start(yard.board))
        yard.clock.atMs += 1
        end(yard.board, run.id, 'tempfail', backAtOnce)
        const closing = { account: 'claude', reason: 'limit', byRun: run.id }
        yard.board.closeGate({ ...closing, untilMs: startMs + 10, doublings: 0 })
        yard.board.closeGate({ ...closing, untilMs: startMs + 20, doublings: 1 })
        expect(yard.board.readGate('claude')).toMatchObject({ epoch: 2, doublings: 1, sinceMs: startMs + 1 })
        yard.clock.atMs = startMs + 20
        expect(one(claim(yard.board)).run.probe).toBe(true)
      })

      test('a parked one waits for a person, who opens it with one act', () => {
        using yard = open()
        const task = addOne(yard.board, { lane: 'claude' })
        const { run } = one(start(yard.board))
        yard.clock.atMs += 5
        end(yard.board, run.id, 'tempfail', backAtOnce)
        yard.board.parkGate({ account: 'claude', reason: 'credit balance is too low', byRun: run.id })
        yard.clock.atMs += 86_400_000
        expect(claim(yard.board)).toEqual([])
        expect(yard.board.explainTask(task.id, 'up')).toMatchObject({
          code: 'account_parked',
          says: 'T1 does not run: account claude needs you: credit balance is too low',
          youCan: ['yardmaster resume --account claude'],
        })
        expect(yard.board.liftHold('account', 'claude', ann)).toBe(1)
        expect(claimedTasks(yard.board)).toEqual([task.id])
        // What started before the person mended it says nothing about it as it is now.
        yard.board.parkGate({ account: 'claude', reason: 'old news', byRun: run.id })
        yard.board.closeGate({ account: 'claude', reason: 'old', byRun: run.id, untilMs: 2 ** 50, doublings: 0 })
        expect(yard.board.readGate('claude')?.sinceMs).toBe(null)
        // With the clock set back the opening lies ahead, and would else keep the account open for that long.
        yard.clock.atMs -= 3_600_000
        yard.board.closeGate({ account: 'claude', reason: 'limit', byRun: run.id, untilMs: 2 ** 50, doublings: 0 })
        expect(yard.board.readGate('claude')?.reason).toBe('limit')
      })
    })

    describe('answers', () => {
      test('pages in claim order that neither skip nor repeat while cards come and go', () => {
        using yard = open()
        add(
          yard.board,
          Array.from({ length: 25 }, (_, index) => ({ priority: index % 3, spec: spec({ labels: ['all'] }) })),
        )
        const readAll = (filter: object): TaskId[] => {
          const ids: TaskId[] = []
          for (let after: string | undefined, pages = 0; pages < 99; pages += 1) {
            const page = yard.board.listTasks(filter, { limit: 4, ...(after === undefined ? {} : { after }) })
            ids.push(...page.rows.map(({ id }) => id))
            if (page.next === undefined) return ids
            after = page.next
          }
          throw new Error('the list has no end')
        }
        const expected = yard.board.listTasks({}, { limit: 99 }).rows.map(({ id }) => id)
        expect(expected).toHaveLength(25)
        for (const filter of [{}, { board: 'shop' }, { lane: 'command' }, { label: 'all' }, { ids: expected }]) {
          expect(readAll(filter)).toEqual(expected)
        }
        const page = yard.board.listTasks({}, { limit: 4 })
        yard.board.cancelTask(page.rows[3]?.id ?? taskId(0), ann)
        const rest = yard.board.listTasks({ status: ['ready'] }, { limit: 99, after: page.next ?? '' })
        expect(rest.rows.map(({ id }) => id)).toEqual(expected.slice(4))
        expect(() => yard.board.listTasks({}, { limit: 1, after: 'x' })).toThrow('"x" is no place in this list')
      })

      test('filters that are combined, and unknown ids, which are left out', () => {
        using yard = open()
        add(yard.board, [{}, { lane: 'claude' }, { lane: 'claude', draft: true }])
        addOne(yard.board, { lane: 'claude' }, 'other')
        const ids = (filter: object) => yard.board.listTasks(filter, { limit: 9 }).rows.map(({ id }) => id)
        expect(ids({ lane: 'claude', board: 'shop' })).toEqual([2, 3])
        expect(ids({ lane: 'claude', status: ['ready'] })).toEqual([2, 4])
        expect(ids({ ids: [taskId(3), taskId(99), taskId(1)], board: 'shop' })).toEqual([1, 3])
        expect(ids({ board: 'nowhere' })).toEqual([])
      })

      test('counts by status without looking at the cards', () => {
        using yard = open()
        add(yard.board, [{}, {}, { draft: true }])
        addOne(yard.board, {}, 'other')
        finish(yard.board, taskId(1))
        expect(yard.board.counts('shop')).toMatchObject({ ready: 0, running: 1, done: 1, triage: 1, failed: 0 })
        expect(yard.board.counts()).toMatchObject({ running: 2, done: 1, triage: 1 })
      })

      test('events in one gapless sequence, told after the commit and readable by card', () => {
        using yard = open()
        const heard: BoardEvent[] = []
        const over = new AbortController()
        yard.board.onEvents(over.signal, (events) => {
          // Whoever is told can see it.
          for (const { task } of events) if (task !== null) expect(yard.board.readTask(task)).toBeDefined()
          heard.push(...events)
        })
        const task = addOne(yard.board)
        finish(yard.board, task.id)
        const stored = yard.board.eventsAfter(0, 999)
        expect(heard).toEqual(stored)
        expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1))
        expect(yard.board.lastSeq()).toBe(stored.length)
        expect(yard.board.eventsAfter(0, 99, { task: task.id }).map(({ kind }) => kind)).toEqual([
          'task.created',
          'run.claimed',
          'run.started',
          'run.exited',
          'run.settled',
          'task.done',
        ])
        expect(yard.board.eventsAfter(stored.length - 1, 9)).toHaveLength(1)
        over.abort()
        yard.board.comment(task.id, 'hello', ann)
        expect(heard).toHaveLength(stored.length)
      })

      test('why a card does not run, for every state it can be in', () => {
        using yard = open()
        const why = (id: number, hub: HubPresence = 'up') => yard.board.explainTask(taskId(id), hub)
        add(yard.board, [{ rowKey: 'a' }, { needs: [{ on: 'a', when: 'done' }] }, { draft: true }])
        expect(why(1)).toMatchObject({ code: 'next', says: 'T1 is next: it starts as soon as the hub gets to it' })
        expect(why(1, 'none')).toMatchObject({
          code: 'no_hub',
          says: 'T1 does not run: no hub is up, so nothing starts',
          youCan: ['yardmaster up -d'],
        })
        expect(why(1, 'leaving')).toMatchObject({
          code: 'draining',
          says: 'T1 does not run: the hub is being stopped and starts nothing new',
          youCan: ['yardmaster up -d (once it has stopped)'],
        })
        expect(why(2)).toMatchObject({
          code: 'need_open',
          says: 'T2 does not run: it waits for T1 (ready)',
          then: 'it may start once T1 is done',
        })
        expect(why(3)).toMatchObject({ code: 'draft', youCan: ['yardmaster ready T3'] })
        const { run } = one(start(yard.board))
        expect(why(1)).toMatchObject({ code: 'running', says: 'T1 runs: attempt 1 (R1)' })
        exit(yard.board, run.id)
        expect(why(1)).toMatchObject({
          code: 'ending',
          says: 'T1 is ending: processes of attempt 1 (R1) are still there, or what it left is being put on record',
        })
        settle(yard.board, run.id, { to: 'done' })
        expect(why(1)).toMatchObject({ code: 'settled', says: 'T1 is done' })
        yard.board.blockTask(taskId(2), 'ask Bob', ann)
        expect(why(2)).toMatchObject({
          code: 'blocked',
          says: 'T2 does not run: it needs you: ask Bob (by ann)',
          youCan: ['yardmaster unblock T2', 'yardmaster cancel T2'],
        })
        yard.board.unblockTask(taskId(2), ann)
        yard.board.stopTask(taskId(2), 'wrong branch', ann)
        expect(why(2)).toMatchObject({
          says: 'T2 does not run: it needs you: stopped by ann: wrong branch',
          youCan: ['yardmaster retry T2', 'yardmaster cancel T2'],
        })
        const gone = addOne(yard.board, { lane: 'chat' })
        yard.board.applyLimits(limits({ slots: 1, lanes: { command: { account: null, slots: null } } }))
        expect(why(gone.id)).toMatchObject({
          code: 'lane_unknown',
          says: 'T4 does not run: there is no lane chat in yardmaster.yaml',
        })
        add(yard.board, [{}, {}])
        start(yard.board)
        expect(why(6)).toMatchObject({
          code: 'slots_full',
          says: 'T6 does not run: the yard has its one slot taken, by T5',
        })
        expect(() => why(99)).toThrow('there is no task T99')
      })

      test('nothing of a card, attempt or batch that does not exist', () => {
        using yard = open()
        expect(yard.board.readTask(taskId(1))).toBeUndefined()
        expect(yard.board.readSpec(taskId(1))).toBeUndefined()
        expect(yard.board.findBatch('x')).toBeUndefined()
        expect(yard.board.readGate('claude')).toBe(null)
        expect(yard.board.nextDueMs()).toBe(null)
        expect(yard.board.lastSeq()).toBe(0)
      })
    })
  })
}
