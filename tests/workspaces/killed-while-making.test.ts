import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemClock, taskId } from '../../src/kernel/index.ts'
import { readProcessTable } from '../../src/kernel/process/index.ts'
import { recallWorktree } from '../../src/workspaces/index.ts'
import { readMark, writeMark } from '../../src/workspaces/mark.ts'
import { takeBack } from '../../src/workspaces/take-back.ts'
import { bundleFolder } from '../remove-bundles.ts'
import { madeOf, openPlace, type Place } from './repository.ts'

const root = join(import.meta.dirname, '..', '..')
const program = join(bundleFolder(process.ppid), `${process.pid}-makes-worktrees.mjs`)

beforeAll(async () => {
  await build({
    absWorkingDir: root,
    entryPoints: [join(import.meta.dirname, 'fixtures', 'makes-worktrees.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    define: { __CRASH_POINTS__: 'false' },
    logLevel: 'error',
  })
})

let place: Place
beforeEach(() => {
  place = openPlace()
  for (let n = 0; n < 400; n += 1) place.write(`many/${n}.txt`, `${n}\n`.repeat(50))
  place.git(['add', '-A'])
  place.git(['commit', '-qm', 'many'])
})
afterEach(() => place.clear())

/** Kill -9 at that moment; then waits until no git of its own is left, as a hub with `setpriv` may count on. */
async function makeAndKill(afterMs: number): Promise<void> {
  const env = { ...place.deps.env, PATH: process.env.PATH ?? '' }
  const child = spawn(process.execPath, [program, place.home, place.repo], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await systemClock.sleep(afterMs)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // A child that was forked in the last moment is still named as the program is, and stands where that stands.
  const isOurs = (pid: number) =>
    existsSync(`/proc/${pid}/exe`) && (readCwd(pid).startsWith(place.root) || readCommand(pid).includes(place.root))
  while ([...(readProcessTable()?.keys() ?? [])].some(isOurs)) await systemClock.sleep(10)
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return '' // gone
  }
}

function readCwd(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return '' // gone, or another user's
  }
}

describe('kill -9 while worktrees are made', () => {
  test('at any moment leaves nothing that the next call does not make whole', async () => {
    for (const afterMs of [0, 40, 100, 200, 350, 600]) {
      await makeAndKill(afterMs)
      const folder = join(place.home, 'workspaces')
      // It may have been killed before it had begun with any.
      const names = existsSync(folder) ? readdirSync(folder) : []
      const begun = names.map((name) => Number(/^T(\d+)/.exec(name)?.[1]))
      const ids = [...new Set(begun)]
      for (const id of ids) {
        const { worktree } = madeOf(await place.make({ id, title: 'Fix it' }))
        expect(worktree.branch).toBe(`yard/t${id}-fix-it`)
        expect(recallWorktree(place.home, taskId(id))).toEqual(worktree)
        expect(place.git(['status', '--porcelain', '--branch'], worktree.path)).toBe(`## ${worktree.branch}`)
      }
      expect(place.branches()).toHaveLength(ids.length + 1)
      const entries = join(place.repo, '.git', 'worktrees')
      expect(existsSync(entries) ? readdirSync(entries) : []).toHaveLength(ids.length)
      const inside = readdirSync(join(place.repo, '.git'), { recursive: true, encoding: 'utf8' })
      expect(inside.filter((name) => name.endsWith('.lock'))).toEqual([])
    }
    expect(place.git(['fsck', '--strict', '--no-dangling'])).toBe('')
  })
})

test('an entry that a killed git has left half written keeps no other task of ours from its worktree', async () => {
  const { worktree } = madeOf(await place.make({ id: 1, title: 'Fix it' }))
  writeFileSync(join(worktree.adminDir, 'commondir'), '')
  expect(() => place.git(['worktree', 'list'])).toThrow('commondir')

  expect(madeOf(await place.make({ id: 2, title: 'Fix it' })).worktree.branch).toBe('yard/t2-fix-it')
  expect(place.git(['worktree', 'list'])).toContain('T2')
})

test('an entry that a killed git has made and not filled yet gives way to the one that is made next', async () => {
  const { worktree } = madeOf(await place.make({ id: 1, title: 'Fix it' }))
  const mark = readMark(worktree.path)
  if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') throw new Error('no mark')
  writeMark(worktree.path, { ...mark, state: 'making', identity: null, adminDir: null })
  for (const name of readdirSync(worktree.adminDir)) rmSync(join(worktree.adminDir, name), { recursive: true })

  madeOf(await place.make({ id: 1, title: 'Fix it' }))

  expect(readdirSync(join(place.repo, '.git', 'worktrees'))).toEqual(['T1'])
})

test('a branch that was made for a worktree is taken back by the next call where the one before was ended in between', async () => {
  const over = new AbortController()
  const { worktree } = madeOf(await place.make({ id: 1, title: 'Fix it' }))
  const mark = readMark(worktree.path)
  if (mark === undefined || mark === 'broken' || mark.kind !== 'worktree') throw new Error('no mark')
  writeMark(worktree.path, { ...mark, state: 'making' })
  over.abort()
  expect(await takeBack({ ...place.deps, signal: over.signal }, worktree.path, mark)).toMatchObject({ ok: false })
  expect(madeOf(await place.make({ id: 1, title: 'Fix it' })).worktree.branch).toBe('yard/t1-fix-it')
})
