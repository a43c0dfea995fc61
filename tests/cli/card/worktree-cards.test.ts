import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AHome, aHome } from '../a-home.ts'

/** A repository with one commit on `main`; answers its real top folder and the commit, shortened. */
function aRepository(path: string): { readonly top: string; readonly commit: string } {
  mkdirSync(join(path, 'src'), { recursive: true })
  writeFileSync(join(path, 'src', 'a.ts'), 'a\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, encoding: 'utf8', env: gitEnv }).trim()
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { top: realpathSync(path), commit: git('rev-parse', '--short=7', 'HEAD') }
}

const who = { NAME: 'Ann', EMAIL: 'ann@example.org' }
const gitEnv = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: '/dev/null',
  ...Object.fromEntries(
    Object.entries(who).flatMap(([name, value]) =>
      [`GIT_AUTHOR_${name}`, `GIT_COMMITTER_${name}`].map((k) => [k, value]),
    ),
  ),
}

const settingsOf = async (yard: AHome, task: string): Promise<Record<string, unknown>> => {
  const { out } = await yard.type('show', task, '--settings', '--json')
  const settings = JSON.parse(out) as { field: string; value: unknown }[]
  return Object.fromEntries(settings.map(({ field, value }) => [field, value]))
}

describe('a card made in a repository', () => {
  test('works in a worktree of it, and the answer says from what and what is not in it', async () => {
    await using yard = aHome()
    const { top, commit } = aRepository(join(yard.cwd, 'shop'))
    writeFileSync(join(top, 'new.txt'), 'x')
    writeFileSync(join(top, 'src', 'a.ts'), 'b')
    const env = { PATH: process.env.PATH, HOME: realpathSync(yard.cwd) }
    const inShop = { cwd: join(yard.cwd, 'shop', 'src'), env }
    const { out } = await yard.typeWith(inShop, 'add', 'Fix the login test', '--check', 'npm test')
    expect(out.split('\n')[0]).toBe(
      `T1 ready on main, lane chat, check npm test. Worktree of ~/shop at main@${commit} (2 uncommitted files are not in it).`,
    )
    expect(await settingsOf(yard, 'T1')).toMatchObject({
      workspace: { repo: top, ref: 'main' },
      check: 'npm test',
      rerun: 'auto',
    })
    expect((await yard.typeWith(inShop, 'add', 'ls', '--', 'ls')).out).toContain('It works here: ')
    expect((await yard.type('add', 'Elsewhere')).out).toContain('It works in a new, empty folder of its own')
  })

  test('can name the repository, what it begins from and how it is judged', async () => {
    await using yard = aHome()
    const { top } = aRepository(join(yard.cwd, 'shop'))
    const judged = [
      '--may-change',
      'src/**',
      '--may-change',
      'package.json',
      '--expect',
      'change',
      '--review',
      'person',
    ]
    const { out } = await yard.type(
      'add',
      'Fix it',
      '--repo',
      './shop/src',
      '--ref',
      'v1',
      '--check',
      'none',
      ...judged,
    )
    expect(out).toContain(`T1 ready on main, lane chat. Worktree of ${top} at v1.`)
    expect(await settingsOf(yard, 'T1')).toMatchObject({
      workspace: { repo: top, ref: 'v1' },
      check: 'none',
      may_change: ['src/**', 'package.json'],
      expect: 'change',
      review: 'person',
    })
    const url = 'https://example.org/shop.git'
    expect((await yard.type('add', 'Fix it', '--repo', url)).out).toContain(`Worktree of ${url}.`)
    expect((await yard.type('add', 'sweep', '--workspace', 'scratch', '--', 'ls')).out).toContain('a new, empty folder')
  })

  test('is edited with the same flags', async () => {
    await using yard = aHome()
    const { top } = aRepository(join(yard.cwd, 'shop'))
    await yard.type('add', 'Fix it', '--draft')
    expect((await yard.type('edit', 'T1', '--expect', 'change')).err).toContain(
      'expect: change is judged by what changed',
    )
    expect((await yard.type('edit', 'T1', '--repo', 'shop', '--expect', 'change', '--check', 'make')).code).toBe(0)
    expect(await settingsOf(yard, 'T1')).toMatchObject({ workspace: { repo: top }, expect: 'change', check: 'make' })
  })

  test('shows in the editor where it works and how it is judged, below what is cut off', async () => {
    await using yard = aHome()
    const { top } = aRepository(join(yard.cwd, 'shop'))
    await yard.type('add', 'Fix it', '--repo', 'shop', '--check', 'make test')
    const seen = join(yard.cwd, 'seen')
    const env = { PATH: process.env.PATH, EDITOR: `sh -c 'cat "$1" > ${seen}' sh` }
    expect(await yard.typeWith({ env }, 'edit', 'T1')).toMatchObject({ code: 0, err: 'T1 was left as it is.\n' })
    expect(readFileSync(seen, 'utf8')).toContain(
      `# It works in a worktree of ${top} at main. Check: make test. To change that: yardmaster edit T1`,
    )
  })

  test('without a commit works in an empty folder, and says why; naming that repository is refused', async () => {
    await using yard = aHome()
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: yard.cwd, env: gitEnv })
    const { out, err } = await yard.type('add', 'Begin')
    expect(out).toContain('It works in a new, empty folder')
    expect(err).toMatch(/^the git repository .* has no commit yet: it is left alone\.\n$/)
    const named = await yard.type('add', 'Begin', '--repo', '.')
    expect(named).toMatchObject({ code: 2, err: expect.stringContaining('commit --allow-empty -m start') })
  })

  test('by a worker in its own worktree is of the repository behind it, from where that worker stands', async () => {
    await using yard = aHome()
    const { top } = aRepository(join(yard.cwd, 'shop'))
    const own = join(yard.home, 'workspaces', 'T5')
    execFileSync('git', ['worktree', 'add', '-q', '-b', 'yard/t5-fix', own], { cwd: top })
    writeFileSync(join(yard.cwd, 'yardmaster.yaml'), 'boards: { shop: { repo: ./shop } }\n')
    const options = { cwd: own, env: { PATH: process.env.PATH, YARDMASTER_CONFIG: join(yard.cwd, 'yardmaster.yaml') } }
    const { out } = await yard.typeWith(options, 'add', 'And this', '--draft')
    expect(out).toContain(`T1 draft on shop, lane chat. Worktree of ${top} at yard/t5-fix`)
  })

  test('in a repository of the yard itself is refused', async () => {
    await using yard = aHome()
    await yard.type('add', 'first')
    aRepository(join(yard.home, 'runs', 'shop'))
    const { code, err } = await yard.type('add', 'Fix it', '--repo', join(yard.home, 'runs', 'shop'))
    expect(code).toBe(2)
    expect(err).toContain('[WORKSPACES_IN_HOME]')
  })

  test('goes onto the board whose repository holds the folder, unless another is named', async () => {
    await using yard = aHome()
    aRepository(join(yard.cwd, 'shop'))
    writeFileSync(
      join(yard.cwd, 'shop', 'yardmaster.yaml'),
      'boards: { shop: { repo: ., check: make test, setup: make deps } }\n',
    )
    const inShop = { cwd: join(yard.cwd, 'shop', 'src') }
    expect((await yard.typeWith(inShop, 'add', 'Fix it')).out).toContain(
      'T1 ready on shop, lane chat, check make test.',
    )
    expect((await yard.typeWith(inShop, 'add', 'Fix it', '-b', 'other')).out).toContain('T2 ready on other, lane chat.')
    const { out } = await yard.typeWith(inShop, 'show', 'T1', '--settings')
    expect(out).toMatch(/check +make test +board/)
    expect(out).toMatch(/workspace .*make deps.* board/)
  })

  test.each([
    ['a folder that is in none', ['--repo', '.'], 'lies in no git repository'],
    ['a folder that is not there', ['--repo', './gone'], 'lies in no git repository'],
    ['a password', ['--repo', 'https://jo:hunter2@example.org/x'], 'holds a password'],
    ['two answers to one question', ['--repo', '.', '--workspace', 'here'], '--repo is for a worktree'],
    ['nothing to begin from', ['--ref', 'main'], 'lies in none'],
    ['no such expectation', ['--expect', 'much'], '--expect takes any or change'],
    ['a reviewer who is none', ['--review', 'chta'], 'chat'],
    ['a reviewer who takes no prompt', ['--review', 'command'], 'names no program that takes a prompt'],
    ['a limit on nothing', ['--may-change', 'src/**'], 'this task works in an empty folder'],
    ['files outside', ['--may-change', '../x'], "from the repository's top"],
  ])('%s is refused, and nothing is added', async (_, flags, says) => {
    await using yard = aHome()
    const { code, out, err } = await yard.type('add', 'Fix it', ...flags)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(says)
    expect(err).not.toContain('hunter2')
    expect((await yard.type('list', '-q')).out).toBe('')
  })
})
