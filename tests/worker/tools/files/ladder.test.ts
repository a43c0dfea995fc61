import { expect, test } from 'vitest'
import { cpuTimer } from '../../../cpu-timer.ts'
import { openFileDesk } from './file-desk.ts'

interface Case {
  readonly rung: string
  readonly file: string
  readonly old: string
  readonly next: string
  readonly becomes: string
}

const lines = (...rows: readonly string[]) => rows.map((row) => `${row}\n`).join('')

const cases: readonly Case[] = [
  {
    rung: 'trailing_space',
    file: lines('a = 1   ', 'b = 2\t', 'c = 3'),
    old: lines('a = 1', 'b = 2'),
    next: lines('a = 1', 'b = 5'),
    becomes: lines('a = 1   ', 'b = 5', 'c = 3'), // a line that the model did not change keeps its spaces
  },
  {
    rung: 'indentation',
    file: lines('class A {', '    go() {', '        if (a) {', '            b()', '        }', '    }', '}'),
    old: lines('if (a) {', '    b()', '}'),
    next: lines('if (a) {', '    b()', '    if (c) {', '        d()', '    }', '}'),
    becomes: lines(
      ...['class A {', '    go() {', '        if (a) {', '            b()', '            if (c) {'],
      ...['                d()', '            }', '        }', '    }', '}'],
    ),
  },
  {
    rung: 'indentation',
    file: lines('func main() {', '\tif a {', '\t\tb()', '\t}', '}'),
    old: lines('    if a {', '        b()', '    }'),
    next: lines('    if a {', '        b()', '        for {', '            c()', '        }', '    }'),
    becomes: lines('func main() {', '\tif a {', '\t\tb()', '\t\tfor {', '\t\t\tc()', '\t\t}', '\t}', '}'),
  },
  {
    rung: 'white_space',
    file: lines('const  map = { a:  1,   b: 2 }', 'other'),
    old: 'const map = { a: 1, b: 2 }',
    next: 'const map = { a: 1, b: 3 }',
    becomes: lines('const map = { a: 1, b: 3 }', 'other'),
  },
  {
    rung: 'white_space',
    file: lines('call(first,   second); // why'),
    old: 'call(first, second)',
    next: 'call(second)',
    becomes: lines('call(second); // why'),
  },
  {
    rung: 'unicode',
    file: lines('# The “quoted” title — it’s here', 'next\u00a0line'),
    old: lines('# The "quoted" title - it\'s here', 'next line'),
    next: lines('# The "quoted" title - it\'s here', 'another line'),
    becomes: lines('# The “quoted” title — it’s here', 'another line'),
  },
  {
    rung: 'unicode',
    file: lines('say(“hello”) and more'),
    old: 'say("hello")',
    next: 'say("bye")',
    becomes: lines('say("bye") and more'),
  },
  {
    rung: 'escapes',
    file: lines('first "one"', '\tsecond', 'third'),
    old: 'first \\"one\\"\\n\\tsecond',
    next: 'first \\"two\\"\\n\\tsecond',
    becomes: lines('first "two"', '\tsecond', 'third'),
  },
  {
    rung: 'anchors',
    file: lines('function start() {', '  const value = readTheConfiguration()', '  use(value)', '}', 'end()'),
    old: lines('function start() {', '  const value = readTheSettings(); log(value)', '  use(value)', '}'),
    next: lines('function start() {', '  use(readTheConfiguration())', '  use(value)', '}'),
    becomes: lines('function start() {', '  use(readTheConfiguration())', '  use(value)', '}', 'end()'),
  },
  {
    rung: 'similar_lines',
    file: lines('# Install the program', 'First get the newest version here.', 'Then run it once as root.', 'Done!'),
    old: lines('# Install the programme', 'First get the newest version there.', 'Something wholly different: 12345'),
    next: lines('# Install it', 'First get it.', 'Then run it.'),
    becomes: lines('# Install it', 'First get it.', 'Then run it.', 'Done!'),
  },
  {
    rung: 'distance',
    file: lines('const configuration = loadConfiguration(pathOfTheFile)', 'start(configuration)'),
    old: 'const configuration = loadConfigurations(pathOfTheFiles)',
    next: 'const configuration = {}',
    becomes: lines('const configuration = {}', 'start(configuration)'),
  },
]

test.each(cases)(
  'an edit is found on rung $rung, and what the model did not change stays as the file has it',
  async ({ rung, file, old, next, becomes }) => {
    using desk = openFileDesk()
    desk.put('a', file)
    await desk.read('a')

    const result = await desk.replace('a', old, next)

    expect(result).toMatchObject({ outcome: 'ok', counts: [`edit_${rung}`] })
    expect(result.text).toContain('see that it is what you meant:\n@@ line')
    expect(desk.text('a')).toBe(becomes)
  },
)

test('the same edits keep CRLF', async () => {
  for (const { file, old, next, becomes } of cases) {
    using desk = openFileDesk()
    desk.put('a', file.replaceAll('\n', '\r\n'))
    await desk.read('a')
    await desk.replace('a', old, next)
    expect(desk.text('a')).toBe(becomes.replaceAll('\n', '\r\n'))
  }
})

test.each([
  ['trailing_space', lines('a', 'b ', 'x', 'a', 'b  '), lines('a', 'b'), 'at lines 1, 4'],
  [
    'indentation',
    lines('  if (a) {', '    b()', '  }', '    if (a) {', '      b()', '    }'),
    lines('if (a) {', '  b()', '}'),
    'at lines 1, 4',
  ],
  ['white_space', lines('f(a,  b)', 'g(f(a,  b))'), 'f(a, b)', 'at lines 1, 2'],
  ['unicode', lines('“x”', 'y', '„x”'), '"x"', 'at lines 1, 3'],
  ['escapes', lines('a', 'b', 'a', 'b'), 'a\\nb', 'at lines 1, 3'],
])('two places on rung %s are refused with their lines, and nothing is changed', async (_, file, old, says) => {
  using desk = openFileDesk()
  desk.put('a', file)
  await desk.read('a')

  expect(await desk.replace('a', old, 'new')).toMatchObject({
    outcome: 'failed',
    text: expect.stringContaining(says),
    counts: ['edit_ambiguous'],
  })
  expect(desk.text('a')).toBe(file)
})

test('guesses need one candidate: with two that are alike nothing is changed', async () => {
  using desk = openFileDesk()
  const block = lines('function start() {', '  const value = readTheConfiguration()', '}')
  const old = lines('function start() {', '  const value = readTheConfigurations()', '}')
  desk.put('a', block + block)
  await desk.read('a')

  expect(await desk.replace('a', old, 'x\n')).toMatchObject({ counts: ['edit_ambiguous'] })
  expect(desk.text('a')).toBe(block + block)
})

test('a file that was never read is changed by what proves itself, and not by a guess', async () => {
  using desk = openFileDesk()
  const guess = cases.find(({ rung }) => rung === 'distance') as Case
  desk.put('a', guess.file)

  expect((await desk.replace('a', guess.old, guess.next)).text).toContain('you have not read that file: read it first')
  expect(desk.text('a')).toBe(guess.file)
  await desk.read('a')
  expect((await desk.replace('a', guess.old, guess.next)).outcome).toBe('ok')
})

test('escapes that the file has itself are meant', async () => {
  using desk = openFileDesk()
  desk.put('a', 'print("a\\nb")\nprint("a")\n')

  expect((await desk.replace('a', 'a\\nb', 'c\\nd')).counts).toEqual(['edit_exact'])
  expect(desk.text('a')).toBe('print("c\\nd")\nprint("a")\n')
})

test('all takes each place of the first rung that finds any, also where indentation differs', async () => {
  using desk = openFileDesk()
  desk.put('a', lines('  go( 1 )', 'x', '      go( 1 )'))

  await desk.replace('a', lines('go( 1 )'), lines('stop()'), { all: true })
  expect(desk.text('a')).toBe(lines('  stop()', 'x', '      stop()'))
})

test('a large file without the text is answered soon, loose rungs and all', async () => {
  using desk = openFileDesk()
  const row = (n: number) => `  const value${n} = compute(${n * 7919}, "${(n * 104_729).toString(36)}")`
  desk.put('big.ts', lines(...Array.from({ length: 40_000 }, (_, n) => row(n))))
  await desk.read('big.ts', { limit: 1 })
  const old = lines(...Array.from({ length: 30 }, (_, n) => `${row(n * 3)}; other(${n})`))
  const usedMs = cpuTimer()

  const { text } = await desk.replace('big.ts', old, 'x')

  expect(text).toContain('was not found')
  expect(usedMs()).toBeLessThan(10_000)
})

test('texts of one letter or of equal lines are answered soon, too', async () => {
  using desk = openFileDesk()
  desk.put('letters', 'a'.repeat(1_000_000))
  desk.put('lines', 'a\n'.repeat(200_000))
  const usedMs = cpuTimer()

  expect((await desk.replace('letters', 'a'.repeat(100_000), 'b')).text).toContain('1000 times or more')
  expect((await desk.replace('lines', `${'a\n'.repeat(20_000)}b\n`, 'c')).outcome).toBe('failed')
  expect((await desk.replace('lines', ` a\n${'a \n'.repeat(100)}`, 'c')).counts).toEqual(['edit_ambiguous'])
  const patch = `*** Begin Patch\n*** Add File: x\n${'\n'.repeat(300_000)}*** End Patch`
  expect((await desk.patch(patch)).outcome).toBe('ok')
  expect(usedMs()).toBeLessThan(30_000)
})

test('very many places and very many lines hold up nobody', async () => {
  using desk = openFileDesk()
  desk.put('places', 'a b'.repeat(1_000_000))
  desk.put('crlf', 'a b\r\n'.repeat(200_000))
  desk.put('lines', '\n'.repeat(8_000_000))
  const usedMs = cpuTimer()

  expect((await desk.replace('places', 'a', 'cc\n', { all: true })).outcome).toBe('ok')
  expect(desk.text('places')).toBe('cc\n b'.repeat(1_000_000))
  expect((await desk.replace('crlf', 'b\na', 'b\nc\na', { all: true })).outcome).toBe('ok')
  expect(desk.text('crlf')).toBe(`a b\r\n${'c\r\na b\r\n'.repeat(199_999)}`)
  expect((await desk.replace('lines', 'x', 'y')).text).toContain('more than 1000000 lines; use sed')
  expect((await desk.read('lines', { offset: 7_999_999 })).text).toBe('7999999\t\n8000000\t')
  expect((await desk.write('lines', `${'\n'.repeat(8_000_000)}...`)).outcome).toBe('ok')
  expect(usedMs()).toBeLessThan(30_000) // it were hours
})
