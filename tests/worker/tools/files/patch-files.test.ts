import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { cpuTimer } from '../../../cpu-timer.ts'
import { openFileDesk } from './file-desk.ts'

const patchOf = (...rows: readonly string[]) => ['*** Begin Patch', ...rows, '*** End Patch'].join('\n')

const source = `import { a } from './a.ts'

export class One {
  go() {
    return 1
  }
}

export class Two {
  go() {
    return 1
  }
}
`

test('one patch adds, changes, moves and deletes files', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  desk.put('old-name.sh', 'echo one\necho two\n')
  chmodSync(desk.at('old-name.sh'), 0o755)
  desk.put('gone.txt', 'x\n')

  const result = await desk.patch(
    patchOf(
      '*** Add File: new/b.ts',
      '+export const b = 1',
      '+',
      '*** Update File: a.ts',
      "-import { a } from './a.ts'",
      "+import { a } from './b.ts'",
      '@@ export class Two {',
      '   go() {',
      '-    return 1',
      '+    return 2',
      '   }',
      '*** Update File: old-name.sh',
      '*** Move to: bin/new-name.sh',
      '@@',
      ' echo one',
      '+echo half',
      '*** Delete File: gone.txt',
    ),
  )

  expect(result).toMatchObject({
    outcome: 'ok',
    text: 'added: new/b.ts\nupdated: a.ts\nmoved from old-name.sh: bin/new-name.sh\ndeleted gone.txt',
    counts: ['edit_exact', 'edit_exact', 'edit_exact'],
  })
  expect(desk.text('new/b.ts')).toBe('export const b = 1\n\n')
  expect(desk.text('a.ts')).toBe(
    source.replace('./a.ts', './b.ts').replace(/(class Two[\s\S]*?)return 1/, '$1return 2'),
  )
  expect(desk.text('bin/new-name.sh')).toBe('echo one\necho half\necho two\n')
  expect(statSync(desk.at('bin/new-name.sh')).mode & 0o777).toBe(0o755)
  expect(desk.names()).toEqual(['a.ts', 'bin', 'new'])
})

test('all faults of all files are told at once, and nothing is changed', async () => {
  using desk = openFileDesk()
  desk.put('a.ts', source)
  desk.put('b.ts', 'fine\n')

  const result = await desk.patch(
    patchOf(
      '*** Update File: b.ts',
      '-fine',
      '+better',
      '*** Update File: a.ts',
      '-    return 1',
      '+    return 2',
      '*** Add File: b.ts',
      '+x',
      '*** Delete File: c.ts',
      '*** Update File: ../d.ts',
      '-x',
      '+y',
    ),
  )

  expect(result).toMatchObject({
    outcome: 'failed',
    counts: ['edit_ambiguous', 'edit_refused', 'edit_refused', 'edit_refused'],
  })
  expect(result.text.split('\n')).toEqual([
    'error: the patch does not fit, and nothing was changed:',
    '- a.ts: the change in line 6 of the patch fits at 2 places, lines 5, 11: put more lines around it, or @@ and the line above it',
    '- b.ts is there already: use *** Update File: for it',
    '- c.ts is not there; did you mean a.ts?',
    expect.stringContaining('outside the workspace'),
  ])
  expect([desk.text('a.ts'), desk.text('b.ts')]).toEqual([source, 'fine\n'])
})

test('what stands in the way of the second file leaves the first as it was, and no folder behind', async () => {
  using desk = openFileDesk()
  desk.put('a.txt', 'old\n')
  desk.put('file', 'x')

  const result = await desk.patch(
    patchOf(
      '*** Update File: a.txt',
      '-old',
      '+new',
      '*** Add File: deep/er/b.txt',
      '+b',
      '*** Add File: file/c',
      '+c',
    ),
  )

  expect(result.outcome).toBe('failed')
  expect(desk.text('a.txt')).toBe('old\n')
  expect(desk.names()).toEqual(['a.txt', 'file'])
})

describe('hunks', () => {
  const cases: readonly (readonly [string, string, readonly string[], string])[] = [
    [
      'keep line ends, byte order mark and an open last line',
      '\ufeffone\r\ntwo',
      [' one', '-two', '+three'],
      '\ufeffone\r\nthree',
    ],
    ['are found with white space at line ends left out of account', 'a  \nb\n', [' a', '-b', '+c'], 'a  \nc\n'],
    [
      'are found with indentation left out of account',
      '    a\n    b\n',
      [' a', '-b', '+c', '+  d'],
      '    a\n    c\n      d\n',
    ],
    ['are found with signs that look alike', '“a”\nb\n', [' "a"', '-b', '+c'], '“a”\nc\n'],
    ['of new lines only go behind their anchor', 'a\nb\nc\n', ['@@ b', '+new'], 'a\nb\nnew\nc\n'],
    ['of new lines only go to the end when it is named', 'a\nb', ['+new', '*** End of File'], 'a\nb\nnew'],
    ['at the end are taken at the end', 'x\ny\nx\n', ['-x', '+z', '*** End of File'], 'x\ny\nz\n'],
    ['delete the last line of an open file', 'a\nb', ['-b'], 'a'],
    ['delete all', 'a\nb\n', ['-a', '-b'], ''],
    ['take an empty row for an empty line', 'a\n\nb\n', [' a', '', '-b', '+c'], 'a\n\nc\n'],
    ['do without a blank row behind them', 'a\nb\n', ['-a', '+c', '', '@@', '-b', '+d', ''], 'c\nd\n'],
    ['of the same text are told apart by anchors', 'A\n x\nB\n x\n', ['@@ B', '- x', '+ y'], 'A\n x\nB\n y\n'],
    ['follow anchors of anchors', 'A\nf\n x\nB\nf\n x\n', ['@@ B', '@@ f', '- x', '+ y'], 'A\nf\n x\nB\nf\n y\n'],
    ['take the heads of a unified diff', 'a\nb\n', ['@@ -1,2 +1,2 @@', ' a', '-b', '+c'], 'a\nc\n'],
    ['go on below the ones before them', 'x\nA\nx\nB\n', ['-x', '+1', ' A', '@@', '-x', '+2', ' B'], '1\nA\n2\nB\n'],
  ]
  test.each(cases)('%s', async (_, before, rows, after) => {
    using desk = openFileDesk()
    desk.put('a', before)

    expect(await desk.patch(patchOf('*** Update File: a', ...rows))).toMatchObject({ outcome: 'ok' })
    expect(desk.text('a')).toBe(after)
  })

  test.each([
    ['fit at two places', ['-x', '+y'], 'fits at 2 places, lines 1, 3'],
    ['have an anchor that stands twice', ['@@ x', '+y'], 'its anchor stands at lines 1, 3'],
    ['have an anchor that is not there', ['@@ nowhere', '+y'], 'no line is "nowhere"'],
    ['say nowhere where new lines go', ['+y'], 'nothing that says where'],
    ['are out of order', [' last', '+1', '@@', '-second', '+2'], 'before the changes above it'],
    ['are not there', ['-third of all', '+2'], 'was not found'],
    ['change nothing', [' x'], 'change nothing: no line begins with - or +'],
    ['change a line into itself', ['-second', '+second'], 'the files hold just this already'],
    ['hold a line that stands for others', [' second', '+# ... rest of the code ...'], 'left out'],
  ])('that %s are refused, and nothing is changed', async (_, rows, says) => {
    using desk = openFileDesk()
    const before = 'x\nsecond\nx\nlast\n'
    desk.put('a', before)

    expect(await desk.patch(patchOf('*** Update File: a', ...rows))).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining(says),
    })
    expect(desk.text('a')).toBe(before)
  })
})

describe('changes that meet', () => {
  test.each([
    ['a new line before a changed one', ['@@ x', '+new', '@@', '-y', '+z'], 'x\nnew\nz\n'],
    ['a new line before a removed one', ['@@ x', '+new', '@@', '-y'], 'x\nnew\n'],
    ['a changed line before another', ['-x', '+w', '@@', '-y', '+z'], 'w\nz\n'],
    ['two at the end', ['+a', '*** End of File', '+b', '*** End of File'], 'x\ny\na\nb\n'],
  ])('%s keep their order and their bytes', async (_, rows, text) => {
    using desk = openFileDesk()
    desk.put('a', 'x\ny\n')
    expect((await desk.patch(patchOf('*** Update File: a', ...rows))).text).toContain('updated')
    expect(desk.text('a')).toBe(text)
  })
})

describe('a patch text', () => {
  test.each([
    ['without its begin', 'hello', 'must begin with the line *** Begin Patch'],
    ['that was cut', '*** Begin Patch\n*** Add File: a\n+x', 'may be cut'],
    ['with text behind it', `${patchOf('*** Add File: a', '+x')}\nhello`, 'there is text behind'],
    ['without a file', patchOf(), 'names no file'],
    ['of another kind', patchOf('--- a/x', '+++ b/x'), 'line 2 of the patch should be *** Add File:'],
    [
      'with a row that is none',
      patchOf('*** Update File: a', '-x', 'y'),
      'line 4 of the patch must begin with a space, - or +',
    ],
    ['with an added row without +', patchOf('*** Add File: a', 'x'), 'of an added file must begin with +'],
    ['without changes', patchOf('*** Update File: a'), 'should have changes'],
    ['without a name', patchOf('*** Delete File: '), 'names no file'],
  ])('%s is refused with its line', async (_, patch, says) => {
    using desk = openFileDesk()
    desk.put('a', 'x\n')
    expect(await desk.patch(patch)).toMatchObject({ outcome: 'failed', text: expect.stringContaining(says) })
    expect(desk.names()).toEqual(['a'])
  })

  test('may stand in a fence and have line ends of Windows', async () => {
    using desk = openFileDesk()
    desk.put('a', 'x\n')
    const patch = `\n\`\`\`\n${patchOf('*** Update File: a', '-x', '+y')}\n\`\`\`\n`.replaceAll('\n', '\r\n')
    expect((await desk.patch(patch)).outcome).toBe('ok')
    expect(desk.text('a')).toBe('y\n')
  })

  test.each([
    ['an anchor', `@@ go${' '.repeat(200_000)}x`, '-x', '+y'],
    ['the name of a file', `*** Add File:${' '.repeat(200_000)}\u2028x`, '+y'],
  ])('is read in a moment, whatever stands in %s', async (_, ...rows) => {
    using desk = openFileDesk()
    desk.put('a', 'x\n')
    const usedMs = cpuTimer()
    await desk.patch(patchOf('*** Update File: a', ...rows))
    expect(usedMs()).toBeLessThan(5_000)
  })

  test('has its place found in a moment in a file of equal lines', async () => {
    using desk = openFileDesk()
    desk.put('a', '}\n'.repeat(120_000))
    const usedMs = cpuTimer()
    expect((await desk.patch(patchOf('*** Update File: a', '@@ }', '-}', '+]'))).outcome).toBe('failed')
    expect(usedMs()).toBeLessThan(10_000)
  })

  test('may change one file several times, each on top of the last', async () => {
    using desk = openFileDesk()
    desk.put('a', 'x\n')
    desk.put('b', 'b\n')
    const patch = patchOf(
      ...['*** Update File: a', '-x', '+y', '*** Update File: a', '-y', '+z'],
      ...['*** Delete File: b', '*** Add File: b', '+new b', '*** Add File: c', '+c', '*** Update File: c', '-c', '+d'],
    )
    expect((await desk.patch(patch)).outcome).toBe('ok')
    expect([desk.text('a'), desk.text('b'), desk.text('c')]).toEqual(['z\n', 'new b\n', 'd\n'])
  })
})

test('a moved file does not write over another one, and bytes that are no text are moved as they are', async () => {
  using desk = openFileDesk()
  const bytes = Buffer.from([0, 255, 1, 254])
  desk.put('a.bin', bytes)
  desk.put('b.bin', 'b')
  const move = (to: string) => patchOf('*** Update File: a.bin', `*** Move to: ${to}`)

  expect((await desk.patch(move('b.bin'))).text).toContain('b.bin is there already, so a.bin cannot be moved to it')
  expect((await desk.patch(move('.env'))).text).toContain('is an env file')
  expect((await desk.patch(move('c/c.bin'))).text).toBe('moved from a.bin: c/c.bin')
  expect(existsSync(desk.at('a.bin'))).toBe(false)
  expect(desk.text('c/c.bin')).toBe(bytes.toString('utf8'))
})

test('links stay links, and their files are changed', async () => {
  using desk = openFileDesk()
  desk.put('real', 'x\n')
  symlinkSync('real', desk.at('link'))

  expect((await desk.patch(patchOf('*** Update File: link', '-x', '+y'))).outcome).toBe('ok')
  expect(lstatSync(desk.at('link')).isSymbolicLink()).toBe(true)
  expect(desk.text('real')).toBe('y\n')
})

test('what was found loosely is shown, new names that differ in case only are warned of', async () => {
  using desk = openFileDesk()
  desk.put('a', 'x  \ny\n')
  desk.put('Names', '')
  mkdirSync(desk.at('Folder'))

  const { text, counts } = await desk.patch(
    patchOf('*** Update File: a', ' x', '-y', '+z', '*** Add File: names', '+n', '*** Add File: folder/x', '+n'),
  )

  expect(text).toContain(
    'updated: a, found with white space at line ends left out of account:\n@@ line 1\n x  \n-y\n+z',
  )
  expect(text).toContain('[warning: Names is there already')
  expect(text).toContain('[warning: Folder is there already')
  expect(counts).toEqual(['edit_trailing_space'])
})
