import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFileDesk } from './file-desk.ts'

let desk: ReturnType<typeof openFileDesk>
beforeAll(() => {
  desk = openFileDesk()
})
afterAll(() => desk.close())

/** Few different lines, so that they repeat; some differ from each other in what the rungs fold away. */
const line = fc.constantFrom(
  'a',
  ' a',
  'a ',
  '\ta',
  'b',
  'b  c',
  'b c',
  '“q”',
  '"q"',
  '',
  '}',
  'x = 1',
  'x = 2',
  'é\u0301',
)
const body = fc.array(line, { maxLength: 12 }).map((rows) => rows.join('\n'))
const form = fc.record({
  mark: fc.constantFrom('', '\ufeff'),
  newline: fc.constantFrom('\n', '\r\n'),
  last: fc.constantFrom('', '\n'),
  mode: fc.constantFrom(0o644, 0o755, 0o600),
})
const stretch = fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 12 }))

const timesIn = (text: string, part: string): number => {
  let times = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) times += 1
  return times
}

let nth = 0
/** A name that no earlier run has used, so that what was read of one file says nothing of the next. */
function freshName(): string {
  nth += 1
  return `f${nth}`
}

test('a text that stands once is changed as String.replace would, and all else stays: mark, line ends, last newline, mode', async () => {
  await fc.assert(
    fc.asyncProperty(body, form, stretch, body, async (rows, { mark, newline, last, mode }, [start, length], next) => {
      const flat = rows + last
      const old = flat.slice(start % (flat.length + 1)).slice(0, length)
      fc.pre(old !== '' && timesIn(flat, old) === 1 && old !== next)
      const name = freshName()
      desk.put(name, mark + flat.replaceAll('\n', newline))
      chmodSync(desk.at(name), mode)

      const { outcome, counts } = await desk.replace(name, old, next)

      expect({ outcome, rung: counts?.[0] }).toEqual({ outcome: 'ok', rung: 'edit_exact' })
      const expected = flat.replace(old, () => next)
      const ending = flat.includes('\n') ? newline : '\n' // one line has no line ends to keep
      expect(desk.text(name)).toBe(mark + expected.replaceAll('\n', ending))
      expect(statSync(desk.at(name)).mode & 0o777).toBe(mode)
    }),
    { numRuns: 120 },
  )
})

test('a text that does not stand exactly once is never changed on the first rung, and a refused edit changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(body, form, body, body, async (rows, { mark, newline, last, mode }, old, next) => {
      const flat = rows + last
      fc.pre(old !== '' && flat !== '' && timesIn(flat, old) !== 1)
      const name = freshName()
      desk.put(name, mark + flat.replaceAll('\n', newline))
      chmodSync(desk.at(name), mode)
      const before = readFileSync(desk.at(name))
      await desk.read(name)

      const { outcome, counts } = await desk.replace(name, old, next)

      if (outcome === 'failed') expect(readFileSync(desk.at(name))).toEqual(before)
      else {
        expect(counts?.[0]).not.toBe('edit_exact')
        const after = desk.text(name)
        expect(after.startsWith('\ufeff')).toBe(mark !== '')
        if (newline === '\r\n' && flat.includes('\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
        else expect(after).not.toContain('\r')
        expect(statSync(desk.at(name)).mode & 0o777).toBe(mode)
      }
    }),
    { numRuns: 120 },
  )
})

interface Hunk {
  readonly file: number
  readonly old: string
  readonly next: string
}

/** Three files, each of a few different lines, and changes of lines that mostly are there. */
const patched = fc
  .record({
    bodies: fc.array(fc.uniqueArray(line, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 3 }),
    picks: fc.array(
      fc.record({
        file: fc.nat({ max: 2 }),
        pick: fc.nat({ max: 5 }),
        stray: fc.option(line, { freq: 6, nil: undefined }),
        next: fc.constantFrom('new', 'y = 1', 'z'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ bodies, picks }) => ({
    files: bodies.map((rows) => `${rows.join('\n')}\n`),
    hunks: picks.map(({ file, pick, stray, next }): Hunk => {
      const rows = bodies[file] ?? []
      return { file, old: (pick === 0 ? stray : undefined) ?? rows[pick % rows.length] ?? '', next }
    }),
  }))

/** The reference: each line that is looked for stands once in what its file holds by then, to the letter. */
function applyByHand(files: readonly string[], hunks: readonly Hunk[]): readonly string[] | 'unsure' {
  const after = files.map((text) => text.split('\n'))
  for (const { file, old, next } of hunks) {
    const rows = after[file] ?? []
    if (rows.filter((row) => row === old).length !== 1 || old === '') return 'unsure'
    rows[rows.indexOf(old)] = next
  }
  return after.map((rows) => rows.join('\n'))
}

test('a patch over many files is applied as a whole, as by hand, or nothing on the disk changes', async () => {
  let applied = 0
  await fc.assert(
    fc.asyncProperty(patched, async ({ files, hunks }) => {
      const names = files.map(freshName)
      for (const [at, name] of names.entries()) desk.put(name, files[at] ?? '')
      const rows = hunks.flatMap(({ file, old, next }) => [`*** Update File: ${names[file]}`, `-${old}`, `+${next}`])
      const byHand = applyByHand(files, hunks)

      const { outcome } = await desk.patch(['*** Begin Patch', ...rows, '*** End Patch'].join('\n'))

      const after = names.map((name) => desk.text(name))
      if (outcome === 'failed') expect(after).toEqual(files)
      if (byHand !== 'unsure') expect({ outcome, after }).toEqual({ outcome: 'ok', after: byHand })
      if (byHand !== 'unsure') applied += 1
      expect(readdirSync(desk.workspace).filter((name) => name.startsWith('.'))).toEqual([])
    }),
    { numRuns: 150 },
  )
  expect(applied).toBeGreaterThan(25) // else the reference was never asked
})
