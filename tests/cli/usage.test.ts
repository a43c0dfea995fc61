import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verbsNotYet } from '../../src/cli/not-yet.ts'
import { verbGroups } from '../../src/cli/program.ts'
import { type LineAnswer, runLine } from './run-line.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'yardmaster-usage-'))
})
afterAll(() => {
  expect(readdirSync(home)).toEqual([]) // a line that was wrong leaves nothing behind
  rmSync(home, { recursive: true })
})

const type = (...argv: string[]): Promise<LineAnswer> => runLine(argv, { home })

describe('help', () => {
  test('lists every verb in its group', async () => {
    const { code, out } = await type('--help')
    expect(code).toBe(0)
    await expect(out).toMatchFileSnapshot('golden/help.txt')
    for (const verb of Object.values(verbGroups).flat()) expect(out).toMatch(new RegExp(`^  ${verb}\\b`, 'm'))
  })

  test('does not list what is not available yet', async () => {
    const { out } = await type('--help')
    for (const verb of Object.keys(verbsNotYet)) expect(out).not.toMatch(new RegExp(`^  ${verb}\\b`, 'm'))
  })

  test('of a verb says what it takes', async () => {
    const { code, out } = await type('add', '--help')
    expect(code).toBe(0)
    await expect(out).toMatchFileSnapshot('golden/help-add.txt')
    expect(await type('help', 'add')).toMatchObject({ code: 0, out })
  })

  test('is printed on the error stream, with exit code 2, when no verb was given', async () => {
    expect(await type()).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Start:') })
  })

  test('the version is one line', async () => {
    expect(await type('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' })
  })
})

describe('C137: what is unknown is refused by name, with the nearest that exists', () => {
  test.each([
    [['lst'], 'has no verb "lst"', 'did you mean yardmaster list?'],
    [['dev', 'rehersal'], 'dev has no verb "rehersal"', 'did you mean yardmaster dev rehearsal?'],
    [['add', 'x', '--lanee', 'chat'], 'add has no flag --lanee', 'did you mean --lane?'],
    [['add', 'x', '--start-afer=07:30'], 'add has no flag --start-afer=07:30', 'did you mean --start-after?'],
    [['list', '--stauts', 'failed'], 'list has no flag --stauts', 'did you mean --status?'],
    [['list', '--jsno'], 'list has no flag --jsno', 'did you mean --json?'],
    [['up', '-z'], 'up has no flag -z', 'yardmaster up --help lists its flags'],
  ])('%j', async (argv, says, fix) => {
    const { code, out, err } = await type(...argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(says)
    expect(err).toContain(`fix: ${fix}`)
  })

  test('also as JSON', async () => {
    const { code, err } = await type('lst', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'CLI_UNKNOWN_VERB',
        message: 'yardmaster has no verb "lst"',
        fix: 'did you mean yardmaster list?',
      },
    })
  })
})

describe('what a later part brings is refused by name, never ignored', () => {
  test.each(Object.keys(verbsNotYet))('%s', async (verb) => {
    const { code, err } = await type(verb, 'T5', '--anything')
    expect(code).toBe(2)
    expect(err).toContain(`yardmaster ${verb} is not available yet [CLI_NOT_YET]`)
    expect(err).toMatch(/fix: \S/)
  })
})

describe('a line that does not fit', () => {
  test.each([
    [['show'], 'needs to know which task', 'yardmaster show T5'],
    [['retry'], 'needs to know which task', 'retry @failed'],
    [['dev'], 'dev needs a verb', 'yardmaster dev --help lists them'],
    [['help', 'lst'], 'yardmaster has no verb "lst"', 'did you mean yardmaster list?'],
    [['dev', 'help', 'replya'], 'yardmaster dev has no verb "replya"', 'did you mean yardmaster dev replay?'],
    [['add', 'x', '--'], 'was given -- and no command after it', 'leave -- out'],
    [['edit', 'T1', '--'], 'was given -- and no command after it', 'yardmaster edit … -- make test'],
    [['down', 'now'], 'was given more than it takes', 'yardmaster down [flags]'],
    [['add'], 'add needs a title', 'yardmaster add "Fix the login test"'],
    [['add', 'fix', 'it'], 'takes one title', 'put the title in quotes'],
    [['add', '--help me, please'], 'because it starts with a dash', 'yardmaster add --title "…"'],
    [['add', 'x', '--prompt-file', 'p.md', '--', 'ls'], 'do not go together', 'say one of them'],
    [['add', 'x', '--priority', 'high'], 'takes a whole number, not "high"', '--priority 1'],
    [['add', '--prompt-file', 'missing.md'], 'missing.md could not be read', 'name a file that you may read'],
    [['add', '--lane'], '--lane <lane> needs a value', 'yardmaster add'],
    [['block', 'T5'], 'block needs a reason', 'yardmaster block T5 "'],
    [['pause', '--lane', 'a', '--account', 'b'], 'not several at once', 'one line for each'],
    [['dev', 'rehearsal', 'x.yaml', '--port', '99999'], '"99999" is no port', '--port 8123'],
    [['--json', 'chat', '-q', 'hello'], 'must be the first word', 'yardmaster chat -q'],
  ])('%j is told how it is written', async (argv, says, fix) => {
    const { code, out, err } = await type(...argv)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(says)
    expect(err).toContain(fix)
  })
})
