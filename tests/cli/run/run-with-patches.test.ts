import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsePatchHeader } from '../../../src/cli/patch-files/index.ts'
import { openPlace, type Place } from './a-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
  git('init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(place.dir, '.gitignore'), 'out\n*.yaml\n')
  for (const name of ['a', 'b', 'c']) writeFileSync(join(place.dir, `${name}.txt`), `${name}\n`)
  git('add', '.')
  git('commit', '--quiet', '--message', 'start')
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
})

function git(...argv: readonly string[]): string {
  const who = ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org']
  return execFileSync('git', [...who, ...argv], { cwd: place.dir, encoding: 'utf8', stdio: 'pipe' })
}

/** Each changes its file in a worktree of its own; what the check wants of it is that no file says "wrong". */
function putBatch(work: string): void {
  const edit = { matrix: { f: ['a', 'b', 'c'] }, run: work, workspace: 'worktree', check: '! grep -q wrong *.txt' }
  place.put('b.yaml', JSON.stringify({ name: 'edits', defaults: { attempts: 1 }, tasks: { edit } }))
}

describe('run of a batch that changes code', () => {
  test('leaves a patch for each task that changed something, which git applies, and says what was checked', async () => {
    putBatch('case "$f" in a) echo more >> a.txt;; b) echo wrong > b.txt; printf "\\351\\n" > bytes;; esac')
    const { code, out, err } = await place.type(['run', 'b.yaml', '--report', 'out'])
    expect({ code, err }).toEqual({ code: 3, err: '' })
    expect(out).toMatch(/edit\[a\] +done, checked \[done\] +\S+ +\+1 -0\n/)
    expect(out).toContain('out/patches/ (2)\n')
    expect(readdirSync(join(place.dir, 'out', 'patches')).sort()).toEqual(['T1-edit-a.patch', 'T2-edit-b.patch'])
    expect(parsePatchHeader(place.read('out/patches/T1-edit-a.patch'))).toMatchObject({
      key: 'edit[a]',
      repo: place.dir,
      baseRef: 'main',
      baseCommit: git('rev-parse', 'main').trim(),
      outcome: 'done',
      checked: true,
    })
    expect(parsePatchHeader(place.read('out/patches/T2-edit-b.patch'))).toMatchObject({
      outcome: 'check_failed',
      checked: false,
    })
    git('apply', 'out/patches/T1-edit-a.patch', 'out/patches/T2-edit-b.patch')
    expect([place.read('a.txt'), place.read('b.txt')]).toEqual(['a\nmore\n', 'wrong\n'])
    expect(git('status', '--porcelain')).toBe(' M a.txt\n M b.txt\n?? bytes\n')
    const report = JSON.parse(place.read('out/report.json'))
    expect(report.patches).toMatchObject([
      { file: 'patches/T1-edit-a.patch', checked: true, files: 1, insertions: 1, deletions: 0 },
      { file: 'patches/T2-edit-b.patch', checked: false, files: 2 },
    ])
    expect(place.read('out/report.md')).toContain(
      '1. merge 1 checked branch\n   `yardmaster apply out --checked --onto edits/',
    )
    expect(place.read('out/junit.xml')).toMatch(/type="check_failed"/)
  })

  test('the folder alone is enough for another checkout: what was checked goes onto a branch, the rest stays out', async () => {
    putBatch('case "$f" in a|c) echo more >> "$f.txt";; b) echo wrong > b.txt;; esac')
    await place.type(['run', 'b.yaml', '--report', 'out'])
    const other = join(place.home, '..', 'other')
    git('clone', '--quiet', place.dir, other)
    const elsewhere = { cwd: other, home: join(place.home, '..', 'nobody') }
    const { code, err } = await place.type(['apply', join(place.dir, 'out'), '--checked', '--onto', 'edits'], elsewhere)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(git('-C', other, 'diff', '--stat', '--name-only', 'main', 'edits')).toBe('a.txt\nc.txt\n')
    expect(
      git('-C', other, 'log', '--format=%(trailers:key=Yardmaster-Task,valueonly,separator=)', 'main..edits'),
    ).toBe('T3\nT1\n')
  })

  test('what a setup and a check have printed is read by stage', async () => {
    const workspace = { setup: 'echo from the setup' }
    const tasks = { t: { run: 'echo from the work', workspace, check: 'echo from the check; exit 1' } }
    place.put('b.yaml', JSON.stringify({ tasks }))
    const { out } = await place.type(['run', 'b.yaml'])
    const home = /YARDMASTER_HOME=(\S+);/.exec(out)?.[1] ?? ''
    const log = async (...argv: string[]) => place.type(['log', 'T1', ...argv], { home })
    expect((await log()).out).toBe('from the work\n')
    expect((await log('--stage', 'setup')).out).toBe('from the setup\n')
    expect((await log('--stage', 'check')).out).toBe('from the check\n')
    expect(await log('--stage', 'sweep')).toMatchObject({ code: 2, err: expect.stringContaining('--stage check') })
    const shown = (await place.type(['show', 'T1'], { home })).out
    expect(shown).toMatch(/check {5}echo from the check; exit 1: exit 1 in /)
    expect(shown).toContain('| from the check\n')
  })

  test('an attempt without a check says so instead of an empty log', async () => {
    place.put('b.yaml', JSON.stringify({ tasks: { t: { run: 'true' } } }))
    const { out } = await place.type(['run', 'b.yaml'])
    const home = /YARDMASTER_HOME=(\S+);/.exec(out)?.[1] ?? ''
    expect(await place.type(['log', 'T1', '--stage', 'check'], { home })).toMatchObject({
      code: 2,
      err: expect.stringContaining('R1 has had no check'),
    })
  })
})
