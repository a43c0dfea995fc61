import { chmodSync, lstatSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cpuTimer } from '../../../cpu-timer.ts'
import { openFileDesk } from './file-desk.ts'

const source = `import { a } from './a.ts'

export function add(left, right) {
  const sum = left + right
  return sum
}

export function twice(value) {
  return value + value
}
`

test('one text is put in the place of another, and nothing else of the file changes', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  chmodSync(desk.at('a.ts'), 0o755)
  symlinkSync('a.ts', desk.at('link.ts'))

  expect(await desk.replace('link.ts', 'left + right', 'left - right')).toMatchObject({
    outcome: 'ok',
    text: 'patched a.ts at line 4',
    counts: ['edit_exact'],
  })

  expect(desk.text('a.ts')).toBe(source.replace('left + right', 'left - right'))
  expect(statSync(desk.at('a.ts')).mode & 0o777).toBe(0o755)
  expect(lstatSync(desk.at('link.ts')).isSymbolicLink()).toBe(true)
  expect(desk.names()).toEqual(['a.ts', 'link.ts'])
})

test('a text that is there twice is refused with its lines, or changed everywhere when that is asked for', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)

  expect(await desk.replace('a.ts', 'return ', 'yield ')).toMatchObject({
    outcome: 'failed',
    text: 'error: old stands in a.ts 2 times: at lines 5, 9. Give more lines around the one you mean, or all: true',
    counts: ['edit_ambiguous'],
  })
  expect(desk.text('a.ts')).toBe(source)
  expect((await desk.replace('a.ts', 'return ', 'yield ', { all: true })).text).toBe(
    'patched a.ts at 2 places, lines 5, 9',
  )
  expect(desk.text('a.ts')).toBe(source.replaceAll('return ', 'yield '))
})

test('byte order mark, line ends and an open last line stay as they were', async () => {
  using desk = openFileDesk()
  desk.put('windows.txt', '\ufeffone\r\ntwo\r\nthree')
  desk.put('mixed.txt', 'one\r\ntwo\nthree\r\nfour\n')

  await desk.replace('windows.txt', 'one\ntwo', 'one\nand a half\ntwo')
  await desk.replace('windows.txt', 'three', 'three\r\nfour')
  await desk.replace('mixed.txt', 'two\nthree\n', 'two\n2.5\nthree\n3.5\n')

  expect(desk.text('windows.txt')).toBe('\ufeffone\r\nand a half\r\ntwo\r\nthree\r\nfour')
  expect(desk.text('mixed.txt')).toBe('one\r\ntwo\n2.5\r\nthree\r\n3.5\r\nfour\n')
})

describe('refusals that pay', () => {
  test.each([
    ['what changes nothing', { old: 'sum', new: 'sum' }, 'old and new are the same'],
    ['an empty old', { old: '', new: 'x' }, 'old is empty and the file is not'],
    [
      'a line that stands for text that was left out',
      { old: '  return sum', new: '  // ... existing code ...\n  return sum' },
      'stands for text that you left out',
    ],
    [
      'text that was escaped twice',
      { old: '  return sum', new: '  const x = 1\\n  return sum' },
      'seems to be escaped twice',
    ],
    ['quotes that were escaped twice', { old: 'sum\n}', new: 'say(\\"sum\\")\n}' }, 'seems to be escaped twice'],
    ['what fits nowhere', { old: 'nothing like this at all', new: 'x' }, 'Nothing in it is like it'],
  ])('%s', async (_, { old, new: next }, says) => {
    using desk = openFileDesk()
    desk.put('a.ts', source)

    expect(await desk.replace('a.ts', old, next)).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining(says),
    })
    expect(desk.text('a.ts')).toBe(source)
  })

  test.each([
    ['a text with a line end in quotes', "  return text.split('\\n')"],
    ['an expression with a line end', '  return text.replace(/\\n/g, "")'],
    ['a text with escaped quotes in others', '  return \'say \\"sum\\"\''],
    ['a comment about code that stays', '  // the rest of the row is kept by the caller\n  return sum'],
    ['a spread', '  return { ...existing, sum }'],
  ])('and let pass %s', async (_, next) => {
    using desk = openFileDesk()
    desk.put('a.ts', source)

    expect((await desk.replace('a.ts', '  return sum', next)).outcome).toBe('ok')
    expect(desk.text('a.ts')).toBe(source.replace('  return sum', () => next))
  })

  test.each([
    '# rest of the file unchanged',
    '// ... rest of code',
    '/* existing code here */',
    '  // remaining methods omitted',
    '... (rest of the implementation stays the same) ...',
    '<!-- ... existing content ... -->',
    '// … unchanged …',
  ])('take %s for what it is', async (line) => {
    using desk = openFileDesk()
    desk.put('a.ts', source)
    expect((await desk.replace('a.ts', '  return sum', `  return 1\n${line}`)).text).toContain('left out')
  })
})

test('a wrong old is answered with the nearest place, the rung that came closest and the first line that differs', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)

  const { text } = await desk.replace('a.ts', '    const sum = left + right\n    return total_of_all_things', 'x')

  expect(text).toContain('old was not found in a.ts, in none of 9 ways of looking')
  expect(text).toContain('Nearest is lines 4 to 5: compared with indentation left out of account, 1 of 2 lines agree.')
  expect(text).toContain('the file has "  return sum"')
  expect(text).toContain('4\t  const sum = left + right\n5\t  return sum')
})

test('numbers of lines that were copied from a read are pointed out', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)

  expect((await desk.replace('a.ts', '4\t  const sum = left + right\n5\t  return sum', 'x')).text).toContain(
    'begin with the numbers that read shows: leave them out',
  )
})

test('a file that a command changed after it was read is not patched before it is read again', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  await desk.read('a.ts')
  writeFileSync(desk.at('a.ts'), source.replace('twice', 'double'))

  expect(await desk.replace('a.ts', 'left + right', 'left - right')).toMatchObject({
    outcome: 'failed',
    text: expect.stringContaining('a.ts was changed since you read it, by a command or by somebody else'),
    counts: ['edit_changed_since_read'],
  })
  expect((await desk.patch(update('a.ts', '-  return sum\n+  return 0'))).text).toContain('changed since you read it')
  await desk.read('a.ts')
  expect((await desk.replace('a.ts', 'left + right', 'left - right')).outcome).toBe('ok')
  expect((await desk.replace('a.ts', 'left - right', 'left * right')).outcome).toBe('ok')
})

test('after two edits in a row that did not fit, the file has to be read', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  await desk.read('a.ts')
  await desk.replace('a.ts', 'no such text one', 'x')
  await desk.replace('a.ts', 'no such text two', 'x')

  expect(await desk.replace('a.ts', 'left + right', 'x')).toMatchObject({
    text: 'error: 2 edits of a.ts in a row did not fit: read it before the next one',
    counts: ['edit_read_first'],
  })
  expect((await desk.read('a.ts')).text).toContain('left + right') // all of it, not "the same as before"
  expect((await desk.replace('a.ts', 'left + right', 'x')).outcome).toBe('ok')
})

test('edits that undo each other are noticed', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  await desk.replace('a.ts', 'left + right', 'left - right')

  expect(await desk.replace('a.ts', 'left - right', 'left + right')).toMatchObject({
    text: expect.stringContaining('[warning: a.ts holds a text again that it held before: your edits undo each other]'),
    counts: ['edit_exact', 'edit_undone'],
  })
})

test('an edit that breaks JSON is warned of, one of a file that was broken is not', async () => {
  using desk = openFileDesk()
  desk.put('a.json', '{ "a": 1 }')
  desk.put('b.json', '{ "a": 1, }')

  expect(await desk.replace('a.json', '1', '1,')).toMatchObject({ counts: ['edit_exact', 'edit_bad_syntax'] })
  expect(await desk.replace('b.json', '1', '2')).toMatchObject({ counts: ['edit_exact'] })
})

test('an empty file is filled, and nothing in place of nothing is a new file', async () => {
  using desk = openFileDesk()
  desk.put('empty', '')

  expect((await desk.replace('empty', '', 'text\n')).outcome).toBe('ok')
  expect((await desk.replace('new/file', '', 'text\n')).text).toBe('wrote new new/file, 5 bytes')
  expect([desk.text('empty'), desk.text('new/file')]).toEqual(['text\n', 'text\n'])
})

test('bytes that are no UTF-8 are not harmed by an edit', async () => {
  using desk = openFileDesk()
  const bytes = Buffer.from('fine\ncaf\xe9\n', 'latin1')
  desk.put('latin.txt', bytes)

  expect((await desk.replace('latin.txt', 'fine', 'good')).text).toContain('no UTF-8, first in line 2')
  expect(desk.text('latin.txt')).toBe(bytes.toString('utf8'))
})

test('arguments that make neither form are refused', async () => {
  using desk = openFileDesk()

  expect((await desk.use('patch', {})).text).toContain('path, old and new for one file, or patch for many')
  expect((await desk.use('patch', { path: 'a', old: 'b' })).text).toContain('path, old and new')
  expect((await desk.use('patch', { path: 'a', old: 'b', new: 'c', patch: 'd' })).text).toContain('not both')
  expect((await desk.use('patch', { path: 'non.ts', old: 'b', new: 'c' })).text).toContain('non.ts is not there')
})

const update = (path: string, hunk: string) => `*** Begin Patch\n*** Update File: ${path}\n${hunk}\n*** End Patch`

test('a sign that stands everywhere in a large file is replaced in a moment', async () => {
  using desk = openFileDesk()
  desk.put('a', 'a,b;\r\n'.repeat(200_000))
  const usedMs = cpuTimer()
  expect((await desk.replace('a', ',', ' , ', { all: true })).outcome).toBe('ok')
  expect(usedMs()).toBeLessThan(10_000)
  expect(desk.text('a')).toBe('a , b;\r\n'.repeat(200_000))
})
