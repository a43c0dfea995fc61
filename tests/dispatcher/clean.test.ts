import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Board, openBoard, type Settled } from '../../src/board/index.ts'
import { createKeeper } from '../../src/dispatcher/index.ts'
import { type CleanedRow, type CleanInput, cleanWorkspaces } from '../../src/dispatcher/retention/cleaner.ts'
import { systemClock, systemRandom, type TaskId } from '../../src/kernel/index.ts'
import { createRunDirectory, openAttachment, storePatch } from '../../src/runs/index.ts'
import { harvest, makeScratch, recallWorktree } from '../../src/workspaces/index.ts'
import { codeOf, madeOf, openPlace, type Place } from '../workspaces/repository.ts'

const day = 86_400_000
const by = { by: 'ann' }
const never = new AbortController().signal
let place: Place
let board: Board
let laterMs: number

beforeEach(() => {
  laterMs = 0
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs }
  place = openPlace(clock)
  board = openBoard({ path: join(place.home, 'yard.db'), clock, random: systemRandom })
})
afterEach(() => {
  board.close()
  place.clear()
})

const deps = () => ({ ...place.deps, board, keep: { doneMs: 3 * day, failedMs: 30 * day } })
const clean = (input: Partial<CleanInput> = {}): Promise<readonly CleanedRow[]> =>
  cleanWorkspaces(deps(), { tasks: null, asked: 'time', act: 'remove', sizes: 'count', actor: by, ...input }, never)
const now = (...tasks: readonly TaskId[]) => clean({ tasks, asked: 'person' })
const says = (rows: readonly CleanedRow[]) => rows.map(({ task, done, says }) => `T${task} ${done}: ${says}`)
const tree = (id: number) => join(place.home, 'workspaces', `T${id}`)
const fsck = () => place.git(['fsck', '--full', '--strict', '--no-dangling'])

interface Attempt {
  /** What it does in its worktree. */
  readonly works?: (path: string) => void
  readonly records?: 'yes' | 'no'
  readonly ends?: 'done' | 'failed' | 'no'
}

/** A task that worked in a worktree, and whose changes were put on record as at the end of every attempt. */
async function attempt({ works = () => {}, records = 'yes', ends = 'done' }: Attempt = {}): Promise<TaskId> {
  const spec = { title: 'Fix it', run: 'true', dir: place.repo }
  const [made] = board.createTasks({ board: 'main', tasks: [{ spec, lane: 'command' }] }, by)
  const [claim] = board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })
  if (made === undefined || claim === undefined) throw new Error('not made')
  const { id: run, fence } = claim.run
  const task = made.task.id
  const { worktree } = madeOf(await place.make({ id: task }))
  works(worktree.path)
  if (ends === 'no') return task
  const nothing = { exitCode: 0, signal: null, outputTail: '', result: null, data: null, usage: null }
  board.recordExited([{ run, fence, outcome: ends, reason: '', stopDelivered: false, ...nothing }])
  if (records === 'yes') {
    const into = join(createRunDirectory(place.home, run), 'changes.diff')
    const taken = await harvest(place.deps, { worktree, run, title: 'Fix it', mayChange: null, into })
    if (!taken.ok) throw new Error(taken.why)
    const stored = existsSync(into) ? await storePatch(place.home, into) : null
    const patch = stored?.ok ? { sha256: stored.sha256, bytes: stored.bytes } : null
    board.recordChange({ ...taken.change, run, fence, patch })
  }
  const move: Settled['move'] = ends === 'done' ? { to: 'done' } : { to: 'failed', code: 'failed', text: 'x' }
  board.recordSettled([{ run, fence, move, failures: 0 }])
  return task
}

function claimAgain(task: TaskId): void {
  board.retryTask(task, null, by)
  expect(board.claim({ max: 1, prepare: () => ({ ok: true, settings: '{}' }) })).toHaveLength(1)
}

const changes = (path: string) => writeFileSync(join(path, 'a.txt'), `changed in ${path}\n`)

describe('worktrees whose time is over', () => {
  test('go when their work is on record, keep their branch, and a retry goes on from it', async () => {
    const task = await attempt({ works: changes })
    expect(says(await clean())).toEqual([expect.stringMatching(/^T1 stays: kept until /)])
    laterMs = 4 * day
    const [row] = await clean()
    expect(row).toMatchObject({
      done: 'removed',
      branch: { name: 'yard/t1-fix-flaky-login-test', is: 'kept' },
      patch: null,
    })
    expect(row?.bytes).toBeGreaterThan(1_000)
    expect(existsSync(tree(task))).toBe(false)
    expect(place.git(['worktree', 'list'])).not.toContain('T1')
    expect(await clean()).toEqual([])
    const again = madeOf(await place.make({ id: task }))
    expect(again.worktree.branch).toBe('yard/t1-fix-flaky-login-test')
    expect(readFileSync(join(tree(task), 'a.txt'), 'utf8')).toContain('changed in')
  })

  test('take a branch along that has nothing of its own, or is merged', async () => {
    await attempt()
    const merged = await attempt({ works: changes })
    place.git(['merge', '-q', recallWorktree(place.home, merged)?.branch ?? ''])
    laterMs = 4 * day
    expect((await clean()).map(({ branch }) => branch?.is)).toEqual(['removed', 'removed'])
    expect(place.branches()).toEqual(['main'])
    expect(readdirSync(join(place.home, 'workspaces'))).toEqual([])
  })

  test('C82: stay when somebody changed them after the attempt, or their last changes are on no record', async () => {
    const touched = await attempt({ works: changes })
    writeFileSync(join(tree(touched), 'mine.txt'), 'mine')
    const committed = await attempt({ works: changes })
    writeFileSync(join(tree(committed), 'mine.txt'), 'mine')
    place.git(['add', '-A'], tree(committed))
    place.git(['commit', '-qm', 'mine'], tree(committed))
    const unrecorded = await attempt({
      records: 'no',
      works: (path) => {
        changes(path)
        place.git(['commit', '-qam', 'x'], path)
      },
    })
    const open = await attempt({ works: changes, ends: 'no' }) // holds the only slot
    laterMs = 4 * day
    expect(says(await clean())).toEqual([
      `T${touched} stays: changed since its attempt ended`,
      `T${committed} stays: commits were added since its attempt ended`,
      `T${unrecorded} stays: its last changes are not recorded`,
      `T${open} stays: its task is running`,
    ])
    for (const id of [open, touched, committed, unrecorded]) expect(existsSync(join(tree(id), 'a.txt'))).toBe(true)
  })

  test('C83: of 20, those that are clean and on record go by themselves; the others stay, with reason and size', async () => {
    for (let n = 0; n < 20; n += 1) {
      const task = await attempt({ works: changes, ends: n % 4 === 0 ? 'failed' : 'done' })
      if (n % 2 === 1) writeFileSync(join(tree(task), 'left.txt'), 'left')
    }
    const warnings: string[] = []
    const log = {
      info() {},
      warn: (event: string) => void warnings.push(event),
      error: (event: string) => void warnings.push(event),
    }
    const keeper = createKeeper({ ...deps(), log })
    laterMs = 4 * day
    expect(await keeper.sweep()).toMatchObject({ worktrees: 5 })
    laterMs = 31 * day
    expect(await keeper.sweep()).toMatchObject({ worktrees: 5 })
    const left = await clean({ act: 'look' })
    expect(left.map(({ done, says }) => `${done} ${says}`)).toEqual(
      Array(10).fill('stays changed since its attempt ended'),
    )
    expect(left.every(({ bytes }) => (bytes ?? 0) > 1_000)).toBe(true)
    expect(readdirSync(join(place.home, 'trash'))).toEqual([])
    expect(warnings).toEqual([])
  })
})

describe('worktrees that a person names', () => {
  test('go at once; what is nowhere else is stored first, and lies on the card', async () => {
    const task = await attempt({ works: changes, ends: 'failed' })
    writeFileSync(join(tree(task), 'mine.txt'), 'mine')
    const [row] = await now(task)
    expect(row).toMatchObject({
      done: 'removed',
      branch: { is: 'kept' },
      patch: { name: expect.stringMatching(/^left-/) },
    })
    const [attachment] = board.attachmentsOf(task)
    expect(attachment).toMatchObject({ id: row?.patch?.id, by: 'ann', mediaType: 'text/x-diff' })
    const back = join(place.root, 'back')
    place.git(['worktree', 'add', '-q', '--detach', back, 'main'])
    const opened = await openAttachment(place.home, attachment?.sha256 ?? '')
    const file = join(place.root, 'patch')
    writeFileSync(file, opened === undefined ? '' : await opened.readFile())
    await opened?.close()
    place.git(['apply', file], back)
    expect(readFileSync(join(back, 'mine.txt'), 'utf8')).toBe('mine')
    expect(readFileSync(join(back, 'a.txt'), 'utf8')).toContain('changed in')
  })

  test('stay while the task runs, and when the disk takes no patch nothing is removed', async () => {
    const task = await attempt({ works: changes, ends: 'failed' })
    writeFileSync(join(tree(task), 'mine.txt'), 'mine')
    mkdirSync(join(place.home, 'cache'))
    writeFileSync(join(place.home, 'cache', 'left'), 'in the way')
    expect((await now(task))[0]).toMatchObject({ done: 'stays', because: 'failed' })
    expect(readFileSync(join(tree(task), 'mine.txt'), 'utf8')).toBe('mine')
    const running = await attempt({ ends: 'no' })
    expect(says(await now(running))).toEqual([`T${running} stays: its task is running`])
  })

  test.each(['scratch', 'worktree'])(
    'stay where the task is claimed again while they are looked at (%s)',
    async (kind) => {
      const task = await attempt({ ends: 'failed' })
      if (kind === 'scratch') {
        place.git(['worktree', 'remove', '--force', '--force', tree(task)])
        rmSync(`${tree(task)}.made`)
        expect(makeScratch(tree(task))).toBeUndefined()
      }
      writeFileSync(join(tree(task), 'mine.txt'), 'mine')
      let looks = 0
      const readTask: Board['readTask'] = (id) => {
        looks += 1
        if (looks === 1) queueMicrotask(() => claimAgain(task))
        return board.readTask(id)
      }
      const input = { tasks: [task], asked: 'person', act: 'remove', sizes: 'count', actor: by } as const
      const rows = await cleanWorkspaces({ ...deps(), board: { ...board, readTask } }, input, never)
      expect(rows).toMatchObject([{ kind, done: 'stays' }])
      expect(readFileSync(join(tree(task), 'mine.txt'), 'utf8')).toBe('mine')
    },
  )

  test('C84: one of three goes with its branch; the repository and the other two are as before', async () => {
    const [one, two, three] = [await attempt(), await attempt({ works: changes }), await attempt({ works: changes })]
    const state = (id: TaskId) => [
      place.git(['rev-parse', 'HEAD'], tree(id)),
      place.git(['status', '--porcelain', '--branch'], tree(id)),
      readdirSync(join(place.repo, '.git', 'worktrees', `T${id}`)).toSorted(),
    ]
    const before = [
      fsck(),
      state(two),
      state(three),
      place.git(['status', '--porcelain']),
      place.git(['rev-parse', 'main']),
    ]
    expect(await now(one)).toMatchObject([{ done: 'removed', branch: { is: 'removed' } }])
    expect([
      fsck(),
      state(two),
      state(three),
      place.git(['status', '--porcelain']),
      place.git(['rev-parse', 'main']),
    ]).toEqual(before)
    expect(place.branches()).toHaveLength(3)
    expect(readdirSync(join(place.repo, '.git', 'worktrees'))).toHaveLength(2)
  })

  test('C80: a folder of the user, or a link to one, in the place of a workspace is never removed', async () => {
    const mine = join(place.root, 'mine')
    mkdirSync(mine)
    writeFileSync(join(mine, 'work.txt'), 'mine')
    const [linked, moved, scratch] = [await attempt(), await attempt(), await attempt()]
    rmSync(tree(linked), { recursive: true })
    symlinkSync(mine, tree(linked))
    renameSync(tree(moved), join(place.root, 'away'))
    renameSync(mine, tree(moved))
    symlinkSync(tree(moved), mine)
    await now(scratch)
    rmSync(`${tree(scratch)}.made`, { force: true })
    expect(makeScratch(tree(scratch))).toBeUndefined()
    rmSync(tree(scratch), { recursive: true })
    symlinkSync(tree(moved), tree(scratch))
    expect(says(await now(linked, moved, scratch))).toEqual(
      [linked, moved, scratch].map((id) => `T${id} stays: not a folder that we have made there`),
    )
    laterMs = 100 * day
    await clean()
    expect(readFileSync(join(tree(moved), 'work.txt'), 'utf8')).toBe('mine')
    expect(readdirSync(join(place.root, 'away')).length).toBeGreaterThan(1)
  })

  test('a worktree whose .git file leads elsewhere is left alone', async () => {
    const task = await attempt({ works: changes })
    const evil = join(place.root, 'evil')
    place.git(['clone', '-q', place.repo, evil])
    writeFileSync(join(tree(task), '.git'), `gitdir: ${evil}/.git\n`)
    expect((await now(task))[0]).toMatchObject({
      done: 'stays',
      because: 'unreadable',
      says: expect.stringContaining(evil),
    })
    expect(existsSync(join(tree(task), 'a.txt'))).toBe(true)
  })

  test('one that cannot even be looked at stays with what the system says, and keeps none of the others', async () => {
    const [odd, other] = [await attempt(), await attempt()]
    const worktree = recallWorktree(place.home, odd)
    const modules = join(worktree?.adminDir ?? '', 'modules')
    mkdirSync(modules)
    execFileSync('mkdir', ['-p', `${'twenty-characters-it/'.repeat(194)}`], { cwd: modules }) // a path too long for the system
    laterMs = 4 * day

    expect(says(await clean())).toEqual([
      expect.stringMatching(/^T1 stays: .*too long/),
      `T${other} removed: nothing of its own in it`,
    ])

    execFileSync('rm', ['-rf', modules])
  })

  test('what a kill left between its two steps is gone on with; so is one whose repository is gone', async () => {
    const task = await attempt({ works: changes })
    rmSync(tree(task), { recursive: true })
    expect((await now(task))[0]).toMatchObject({ kind: 'gone', done: 'removed', branch: { is: 'kept' } })
    expect(place.git(['worktree', 'list'])).not.toContain('T1')
    expect(codeOf(await place.make({ id: task }))).toBe('made')
    rmSync(tree(task), { recursive: true })
    rmSync(place.repo, { recursive: true })
    expect((await now(task))[0]).toMatchObject({ done: 'removed' })
    expect(readdirSync(join(place.home, 'workspaces'))).toEqual([])
  })
})
