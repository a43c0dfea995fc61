import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planRedraw } from '../../../src/cli/progress/redraw-area.ts'

const esc = '\u001b'
const tokens = new RegExp(`${esc}\\[\\??[0-9]*[A-Za-z]|[^${esc}]`, 'gu')

/** The little of a terminal that a redraw uses: lines, a cursor, and what our four sequences do. Wraps at `width`. */
function screenAfter(bytes: readonly string[], width: number): readonly string[] {
  const lines: string[] = ['']
  let row = 0
  let column = 0
  for (const [token] of bytes.join('').matchAll(tokens)) {
    if (token === '\r') column = 0
    else if (token === '\n') {
      row += 1
      column = 0
    } else if (token.endsWith('A') && token.length > 1) row -= Number(token.slice(2, -1))
    else if (token === '\u001b[K') lines[row] = (lines[row] ?? '').slice(0, column)
    else if (token === '\u001b[J') lines.splice(row, lines.length, (lines[row] ?? '').slice(0, column))
    else if (!token.startsWith('\u001b')) {
      if (column === width) {
        row += 1
        column = 0
      }
      lines[row] =
        `${(lines[row] ?? '').padEnd(column).slice(0, column)}${token}${(lines[row] ?? '').slice(column + 1)}`
      column += 1
    }
    lines[row] ??= ''
  }
  return lines
}

const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '█'), maxLength: 19 }).map((text) => `x${text}`)
const frame = fc.record({ above: fc.array(line, { maxLength: 2 }), area: fc.array(line, { maxLength: 5 }) })

test('whatever was drawn before, the screen shows the lines that stay and then the last area, nothing else', () => {
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
      const width = 40
      let before: readonly string[] = []
      const bytes = frames.map(({ above, area }) => {
        const plan = planRedraw({ before, above, area, width })
        before = area
        return plan
      })
      const expected = [...frames.flatMap(({ above }) => above), ...(frames.at(-1)?.area ?? [])]
      expect(screenAfter(bytes, width).slice(0, -1)).toEqual(expected)
    }),
  )
})

test('lines that a narrower terminal has wrapped are drawn over all the same', () => {
  const first = planRedraw({ before: [], above: [], area: ['x'.repeat(30), 'y'], width: 40 })
  // The terminal is made 10 columns wide: the first line now takes three rows.
  const second = planRedraw({ before: ['x'.repeat(30), 'y'], above: [], area: ['z'], width: 10 })
  expect(screenAfter([first, second], 10)).toEqual(['z', ''])
})

test('nothing is cleared before it is written over, so nothing flickers', () => {
  const plan = planRedraw({ before: ['a', 'b'], above: [], area: ['c', 'd'], width: 40 })
  expect(plan).toBe('\u001b[?2026h\r\u001b[2Ac\u001b[K\nd\u001b[K\n\u001b[J\u001b[?2026l')
})
