import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hub } from '../../src/main.ts'
import { aHub } from './a-hub.ts'
import { openPlace, type Place } from './run/a-place.ts'

let place: Place
let hub: Hub | undefined
beforeEach(() => {
  place = openPlace()
  git('init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(place.dir, '.gitignore'), 'out\n*.yaml\n')
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(place.dir, `${name}.txt`), `${name}\n`)
  git('add', '.')
  git('commit', '--quiet', '--message', 'start')
})
afterEach(async () => {
  await hub?.stop({ workers: 'end' })
  hub = undefined
  await place[Symbol.asyncDispose]()
})

function git(...argv: readonly string[]): string {
  const who = ['-c', 'user.name=anna', '-c', 'user.email=anna@example.org']
  return execFileSync('git', [...who, ...argv], { cwd: place.dir, encoding: 'utf8', stdio: 'pipe' }).trim()
}

/** a and b do well, c fails its check, d changes nothing. */
function putBatch(): void {
  const work = 'case "$f" in c) echo wrong > c.txt; exit 0;; d) exit 0;; *) echo "more of $f" >> "$f.txt";; esac'
  const edit = { matrix: { f: ['a', 'b', 'c', 'd'] }, run: work, workspace: 'worktree', check: '! grep -q wrong *.txt' }
  place.put('b.yaml', JSON.stringify({ name: 'edits', defaults: { attempts: 1 }, tasks: { edit } }))
}

describe('apply of a report folder', () => {
  test('of a folder that is none says so, and asks for no yard', async () => {
    const { code, err } = await place.type(['apply', './nowhere', '--onto', 'x'], {
      home: join(place.dir, '..', 'none'),
    })
    expect(code).toBe(2)
    expect(err).toMatch(/\.\/nowhere is no folder of a report/)
  })

  test('needs no hub, takes what is done, and says in its first line what became of each', async () => {
    putBatch()
    await place.type(['run', 'b.yaml', '--report', 'out'])
    const elsewhere = { home: join(place.dir, '..', 'another-home') }
    const { code, out, err } = await place.type(
      ['apply', 'out', '--checked', '--onto', 'refactor/dates', '--check', 'cat a.txt b.txt; test -f d.txt'],
      elsewhere,
    )
    expect(out).toBe(
      'apply: 2 patches onto refactor/dates: 2 applied, one commit each · cat a.txt b.txt; test -f d.txt: exit 0\n' +
        'Left out, because they are not done: T3\nNext: git log refactor/dates\n',
    )
    expect({ code, err }).toEqual({ code: 0, err: 'a\nmore of a\nb\nmore of b\n' })
    expect(git('log', '--format=%s', 'main..refactor/dates').split('\n')).toHaveLength(2)
    expect(git('status', '--porcelain')).toBe('')

    const again = await place.type(['apply', 'out/patches', '--onto', 'refactor/dates'], elsewhere)
    expect(again).toMatchObject({ code: 0, err: '' })
    expect(again.out).toContain('onto refactor/dates: 2 already there')
  })

  test('what conflicts is named with its files and exits with 3, a check that fails with 1 and an untouched branch', async () => {
    putBatch()
    await place.type(['run', 'b.yaml', '--report', 'out'])
    git('checkout', '--quiet', '-b', 'night')
    place.put('a.txt', 'of the person\n')
    git('commit', '--quiet', '-am', 'of the person')
    git('checkout', '--quiet', 'main')
    const failed = await place.type(['apply', 'out', '--onto', 'night', '--check', 'exit 7'])
    expect(failed.code).toBe(1)
    expect(failed.out).toContain('1 would apply · 1 conflicts (a.txt): T1 · exit 7: exit 7\n')
    expect(failed.out).toContain('night was not touched.\n')
    expect(git('log', '-1', '--format=%s', 'night')).toBe('of the person')
    const some = await place.type(['apply', 'out', '--onto', 'night', '--json'])
    expect(some.code).toBe(3)
    expect(JSON.parse(some.out)).toMatchObject({
      branch: 'moved',
      applied: [2],
      conflicts: [{ task: 1, files: ['a.txt'] }],
      not_done: [3],
    })
    expect(git('show', 'night:a.txt')).toBe('of the person')
    expect(git('show', 'night:b.txt')).toBe('b\nmore of b')
  })

  test('its files are mails for git am, too; one that was cut is named and takes nothing with it', async () => {
    putBatch()
    await place.type(['run', 'b.yaml', '--report', 'out'])
    git('checkout', '--quiet', '-b', 'by-am')
    const file = join(place.dir, 'out', 'patches', 'T1-edit-a.patch')
    git('am', '--quiet', file)
    expect(git('log', '-1', '--format=%an|%s|%(trailers:key=Yardmaster-Run,valueonly,separator=)')).toMatch(
      /^Yardmaster\|\S.*\|R\d+$/,
    )
    expect(place.read('a.txt')).toBe('a\nmore of a\n')
    git('checkout', '--quiet', 'main')
    writeFileSync(file, readFileSync(file).subarray(0, -1))
    const { code, out } = await place.type(['apply', 'out', '--onto', 'x'])
    expect(code).toBe(3)
    expect(out).toContain('apply: 1 patch onto x: 1 applied, one commit each\n')
    expect(out).toContain('Left out: T1-edit-a.patch was cut')
  })

  test('a folder without patches, a missing branch and nothing that fits are said, each with what to do', async () => {
    place.put('out/patches/T1.patch', 'hello\n')
    const none = await place.type(['apply', 'out', '--onto', 'x'])
    expect(none.code).toBe(2)
    expect(none.err).toContain('none of these has changed anything; T1.patch is no patch of ours')
    expect((await place.type(['apply', 'out'])).err).toContain('apply needs to know the branch')
    expect((await place.type(['apply', '--onto', 'x'])).code).toBe(2)
  })
})

describe('apply and diff with a hub', () => {
  test('take a batch by its number, one task by its name whatever its end, and show what each has changed', async () => {
    hub = await aHub(place.home)
    putBatch()
    await place.type(['run', 'b.yaml'])
    const all = await place.type(['apply', 'B1', '--onto', 'all', '--checked'])
    expect(all.out).toContain('apply: 2 patches onto all: 2 applied, one commit each\n')
    expect(all.code).toBe(0)
    const one = await place.type(['apply', 'T3', '--onto', 'one'])
    expect(one.out).toContain('apply: 1 patch onto one: 1 applied')
    expect(git('show', 'one:c.txt')).toBe('wrong')

    const diff = await place.type(['diff', 'T1'])
    expect(diff.out).toMatch(/^diff --git a\/a.txt b\/a.txt\n/)
    git('apply', '--check', writeTemp(diff.out))
    expect((await place.type(['diff', 'R1', '--stat'])).out).toBe(' a.txt | +1 -0\n 1 file changed, +1 -0\n')
    expect(JSON.parse((await place.type(['diff', 'T1', '--json'])).out)).toMatchObject({
      task: 1,
      checked: true,
      file_count: 1,
    })
    const coloured = await place.type(['diff', 'T1'], { terminal: 80 })
    expect(coloured.out).toBe(diff.out)
    expect(await place.type(['diff', 'T4'])).toEqual({ code: 0, out: '', err: 'T4 has changed nothing.\n' })
    expect((await place.type(['diff', 'B1'])).err).toContain('diff shows the changes of one attempt')
  })

  test('of a batch what a review has approved is taken, too, and what still waits for one is not', async () => {
    const work = 'echo more >> "$f.txt"'
    const edit = { matrix: { f: ['a', 'b'] }, run: work, workspace: 'worktree', check: 'true', review: 'person' }
    place.put('b.yaml', JSON.stringify({ name: 'edits', tasks: { edit } }))
    hub = await aHub(place.home)
    expect((await place.type(['run', 'b.yaml'])).code).toBe(5)
    await place.type(['approve', 'T1'])
    const { code, out } = await place.type(['apply', 'B1', '--checked', '--onto', 'reviewed'])
    expect([code, out]).toEqual([0, expect.stringContaining('1 applied')])
    expect(git('diff', '--name-only', 'main', 'reviewed')).toBe('a.txt')
  })

  test('a task that worked in no worktree has no diff, and why is said', async () => {
    hub = await aHub(place.home)
    place.put('h.yaml', JSON.stringify({ tasks: { here: { run: 'true', workspace: 'here' } } }))
    await place.type(['run', 'h.yaml'])
    expect((await place.type(['diff', 'T1'])).err).toContain('T1 worked in no worktree')
    expect((await place.type(['apply', 'T1', '--onto', 'x'])).err).toContain('none of these has changed anything')
  })
})

function writeTemp(text: string): string {
  const file = place.put('out/shown.patch', text)
  expect(readFileSync(file, 'utf8')).toBe(text)
  return file
}
