import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openFileDesk } from './file-desk.ts'

const hasRipgrep = spawnSync('rg', ['--version']).status === 0
/** With ripgrep only where this machine has it. */
const engines = hasRipgrep ? (['without ripgrep', 'with ripgrep'] as const) : (['without ripgrep'] as const)

/** A PATH on which git is found and ripgrep is not: the same answers on every machine. */
const withoutRipgrep = (outside: string) => {
  const bin = join(outside, 'bin')
  mkdirSync(bin)
  symlinkSync(execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim(), join(bin, 'git'))
  return bin
}

function openSearchDesk(
  options: { readonly searchDeadlineMs?: number; readonly secrets?: readonly string[] } = {},
  engine: (typeof engines)[number] = 'without ripgrep',
) {
  const env: Record<string, string> = {}
  const desk = openFileDesk({ ...options, env, given: 'given' })
  env.PATH = engine === 'with ripgrep' ? (process.env.PATH ?? '') : withoutRipgrep(desk.outside)
  desk.put('src/a.ts', 'export const one = 1\nexport const two = 2\n')
  desk.put('src/deep/b.ts', 'import { one } from "../a.ts"\r\nconst One = one\r\n')
  desk.put('README.md', '# one (more) thing\n')
  desk.put('node_modules/x/index.js', 'const one = 1\n')
  desk.put('.git/notes/one', 'one\n')
  desk.put('.github/ci.yml', 'run: one\n')
  desk.put('image.png', Buffer.from([1, 0, 2, ...Buffer.from('one')]))
  return desk
}

describe.each(engines)('%s', (engine) => {
  test('lines are found by an expression, with file and number, and what nobody means is passed over', async () => {
    using desk = openSearchDesk({}, engine)

    expect(await desk.search({ pattern: '\\bone\\b' })).toMatchObject({
      outcome: 'ok',
      text: [
        '.github/ci.yml:1: run: one',
        'README.md:1: # one (more) thing',
        'src/a.ts:1: export const one = 1',
        'src/deep/b.ts:1: import { one } from "../a.ts"',
        'src/deep/b.ts:2: const One = one',
      ].join('\n'),
    })
  })

  test.each([
    ['plain text is taken as it is', { pattern: 'one (more)', plain: true }, ['README.md:1: # one (more) thing']],
    [
      'letters of any case',
      { pattern: 'const one', ignore_case: true, path: 'src/deep' },
      ['src/deep/b.ts:2: const One = one'],
    ],
    ['in files of one kind', { pattern: 'one', glob: '*.md' }, ['README.md:1: # one (more) thing']],
    ['in files of a path', { pattern: 'two', glob: 'src/**/*.ts' }, ['src/a.ts:2: export const two = 2']],
    ['in one file', { pattern: 'two', path: 'src/a.ts' }, ['src/a.ts:2: export const two = 2']],
    [
      'in a folder that is named, even if it is passed over elsewhere',
      { pattern: 'one', path: 'node_modules/x' },
      ['node_modules/x/index.js:1: const one = 1'],
    ],
    ['letters of any case by a flag in the expression', { pattern: '(?i)^# ONE' }, ['README.md:1: # one (more) thing']],
    ['names by a glob that begins here', { glob: './src/*.ts' }, ['src/a.ts']],
    ['names by a glob that counts from a folder', { glob: 'deep/*.ts', path: 'src' }, ['src/deep/b.ts']],
    ['an expression that looks around', { pattern: 'const (?=two)' }, ['src/a.ts:2: export const two = 2']],
    ['names by a glob alone', { glob: '*.ts' }, ['src/a.ts', 'src/deep/b.ts']],
    ['names by a glob with a folder', { glob: 'src/*.ts' }, ['src/a.ts']],
    [
      'the end of a line, whatever it is made of',
      { pattern: 'one$', glob: 'b.ts' },
      ['src/deep/b.ts:2: const One = one'],
    ],
    ['nothing', { pattern: 'not there' }, ['nothing found']],
  ])('%s', async (_, args, lines) => {
    using desk = openSearchDesk({}, engine)
    expect(await desk.search(args)).toMatchObject({ outcome: 'ok', text: lines.join('\n') })
  })

  test('in a repository what git ignores is passed over, unless all of a folder is ignored', async () => {
    using desk = openSearchDesk({}, engine)
    execFileSync('git', ['init', '-q', desk.workspace])
    desk.put('.gitignore', 'made/\n*.log\n')
    desk.put('made/out.js', 'one\n')
    desk.put('a.log', 'one\n')

    expect((await desk.search({ pattern: '^one' })).text).toBe('nothing found')
    expect((await desk.search({ pattern: '^one', path: 'made' })).text).toBe('made/out.js:1: one')
    expect((await desk.search({ glob: '*.ts' })).text).toBe('src/a.ts\nsrc/deep/b.ts')
  })

  test('a program that the settings of a repository name is not run', async () => {
    using desk = openSearchDesk({}, engine)
    execFileSync('git', ['init', '-q', desk.workspace])
    desk.put('hook.sh', `#!/bin/sh\ntouch ${desk.at('ran')}\n`)
    execFileSync('chmod', ['+x', desk.at('hook.sh')])
    execFileSync('git', ['-C', desk.workspace, 'config', 'core.fsmonitor', desk.at('hook.sh')])

    await desk.search({ pattern: 'one' })
    expect(desk.names()).not.toContain('ran')
  })

  test('long lines are cut around what was found, many findings are cut and that is said', async () => {
    using desk = openSearchDesk({}, engine)
    desk.put('long.txt', `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}\n`)
    desk.put('many.txt', 'hay\n'.repeat(500))

    const long = (await desk.search({ pattern: 'needle' })).text
    expect(long).toContain('needle')
    expect(long.length).toBeLessThan(530)
    const many = (await desk.search({ pattern: 'hay' })).text.split('\n')
    expect(many).toHaveLength(201)
    expect(many.at(-1)).toBe('[the first 200 lines, and there are more; narrow it by path, glob or pattern]')
  })

  test.each([
    ['neither a pattern nor a glob', {}, 'it takes a pattern, or a glob'],
    ['an expression that is none', { pattern: '(' }, 'with plain: true it is taken as it is'],
    ['a path that is not there', { pattern: 'x', path: 'scr' }, 'scr is not there; did you mean src?'],
    ['a path that leads out', { pattern: 'x', path: '..' }, 'outside the workspace'],
    ['a pattern over two lines', { pattern: 'one.*\\ntwo' }, 'searched line by line'],
    ['a zero byte', { pattern: 'a\0' }, 'zero byte'],
    ['a pattern that is too long', { pattern: 'x'.repeat(6_000) }, 'longer than 5000'],
  ])('%s is refused in words', async (_, args, says) => {
    using desk = openSearchDesk({}, engine)
    expect(await desk.search(args)).toMatchObject({ outcome: 'failed', text: expect.stringContaining(says) })
  })

  test('links are not followed, so nothing outside is found', async () => {
    using desk = openSearchDesk({}, engine)
    writeFileSync(join(desk.outside, 'private'), 'needle')
    symlinkSync(join(desk.outside, 'private'), desk.at('link'))
    symlinkSync(desk.outside, desk.at('folder'))

    expect((await desk.search({ pattern: 'needle' })).text).toBe('nothing found')
    expect((await desk.search({ glob: 'private' })).text).toBe('nothing found')
  })

  test('neither is what git knows below a folder that has become a link', async () => {
    using desk = openSearchDesk({}, engine)
    desk.put('kept/private', 'a word\n')
    execFileSync('git', ['init', '-q', desk.workspace])
    execFileSync('git', ['-C', desk.workspace, 'add', 'kept', 'src'])
    mkdirSync(join(desk.outside, 'home/deep'), { recursive: true })
    writeFileSync(join(desk.outside, 'home/private'), 'needle')
    rmSync(desk.at('kept'), { recursive: true })
    symlinkSync(join(desk.outside, 'home'), desk.at('kept'))

    expect((await desk.search({ pattern: 'needle' })).text).toBe('nothing found')
    expect((await desk.search({ glob: 'private' })).text).toBe('nothing found')
    expect((await desk.search({ pattern: 'one = 1' })).text).toBe('src/a.ts:1: export const one = 1')
  })

  test('files that people gave are searched by their whole path, and known secrets are masked', async () => {
    const secret = `very-${'secret'}-value`
    using desk = openSearchDesk({ secrets: [secret] }, engine)
    mkdirSync(join(desk.outside, 'given'))
    writeFileSync(join(desk.outside, 'given', 'spec.txt'), `key ${secret}\n`)

    expect((await desk.search({ pattern: 'key', path: join(desk.outside, 'given') })).text).toBe(
      `${join(desk.outside, 'given', 'spec.txt')}:1: key [secret]`,
    )
  })
})

test('a program called rg that is something else is not believed', async () => {
  using desk = openSearchDesk()
  writeFileSync(join(desk.outside, 'bin/rg'), '#!/bin/sh\necho not a row\n', { mode: 0o755 })

  expect((await desk.search({ pattern: 'two' })).text).toBe('src/a.ts:2: export const two = 2')
})

test('files that are too large are counted and not searched', async () => {
  using desk = openSearchDesk()
  desk.put('huge.txt', 'needle\n')
  truncateSync(desk.at('huge.txt'), 17 * 1024 * 1024)

  expect((await desk.search({ pattern: 'needle' })).text).toBe(
    'nothing found\n[1 file of more than 16 MiB not searched]',
  )
})

describe('a search never holds up the worker', () => {
  test('an expression that does not come to an end is cut off, with what was found so far', async () => {
    using desk = openSearchDesk({ searchDeadlineMs: 3_000 })
    desk.put('a-first.txt', 'aaa\n')
    desk.put('evil.txt', `${'a'.repeat(60)}!\n`)
    let beats = 0
    const beat = setInterval(() => {
      beats += 1
    }, 20)

    const result = await desk.search({ pattern: '^(a+)+$' })

    clearInterval(beat)
    expect(result).toMatchObject({ outcome: 'failed', counts: ['search_deadline'] })
    expect(result.text).toContain('a-first.txt:1: aaa')
    expect(result.text).toContain('[ended after 3s, before all was searched; take a simpler pattern or a smaller path]')
    expect(beats).toBeGreaterThan(5)
  })

  test('neither is a glob', async () => {
    using desk = openSearchDesk({ searchDeadlineMs: 300 })
    desk.put(`${'a'.repeat(200)}.txt`, 'x')
    const result = await desk.search({ glob: `${'*a'.repeat(60)}b` })
    expect(['ok', 'failed']).toContain(result.outcome) // it came back
  })

  test('a worker that is told to stop ends it', async () => {
    using desk = openSearchDesk()
    desk.put('evil.txt', `${'a'.repeat(60)}!\n`)
    const searching = desk.search({ pattern: '^(a+)+$', path: 'evil.txt' })
    setImmediate(() => desk.stop.abort())
    expect(await searching).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining('stopped before all was searched'),
    })
  })
})

test('no cut of a long line leaves a part of a secret', async () => {
  const secret = 'canary-of-the-shop-0123456789'
  using desk = openFileDesk({ secrets: [secret] })
  for (let at = 0; at < 40; at += 1) {
    desk.put(
      'long',
      `${'x'.repeat(1_960 + at)}${secret}${'y'.repeat(9_000)} ${'z'.repeat(60 + at)}${secret}${'z'.repeat(350)}needle${'z'.repeat(360 + at)}${secret} and more ${'q'.repeat(500)}\nfits\n`,
    )
    const said = [
      await desk.read('long'),
      await desk.search({ pattern: 'needle' }),
      await desk.search({ pattern: 'x{9}', path: 'long' }),
      await desk.replace('long', `${'x'.repeat(1_960 + at)}${secret.slice(0, 9)}\nfats\n`, 'y'),
    ]
    for (const { text } of said) expect(text).not.toMatch(/canary|9yyy|6789/)
  }
})
