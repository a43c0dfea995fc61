import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeHarmless } from '../../../src/cli/github/harmless-text.ts'

/** What the runner takes for a command: `::` at the start of a line, blanks before it or not, and `##[` anywhere. */
function holdsCommand(log: string): boolean {
  return log.split(/\r\n|\n|\r/).some((line) => /^[\s\u0085]*::/.test(line) || line.includes('##['))
}

describe('what is printed under a GitHub runner', () => {
  test.each([
    ['::error::x', ': :error::x'],
    ['  ::add-mask::x', '  : :add-mask::x'],
    ['a\r::set-output name=x::y', 'a\r: :set-output name=x::y'],
    ['a\n\n\u00a0::x', 'a\n\n\u00a0: :x'],
    ['12:10 T1 ##[error]x', '12:10 T1 ## [error]x'],
    [':::x', ': ::x'],
    ['std::string and a::b', 'std::string and a::b'],
    ['# [x] and ## [y]', '# [x] and ## [y]'],
  ])('%j', (given, safe) => {
    expect(makeHarmless()(given)).toBe(safe)
  })

  test('a command cannot be put together from pieces', () => {
    const harmless = makeHarmless()
    const told = ['ok\n ', ':', ':error::x\n#', '#', '[group]', '\n', ':', '', ':x'].map(harmless).join('')
    expect(told).toBe('ok\n : :error::x\n## [group]\n: :x')
  })

  test('any number of empty lines is passed on as it comes', () => {
    const lines = '\n'.repeat(4 * 1024 * 1024)
    expect(makeHarmless()(`${lines}x\n::x`) === `${lines}x\n: :x`).toBe(true)
  })

  test('whatever is printed, in whatever pieces, holds no command and loses nothing but gains blanks', () => {
    const letters = fc.array(fc.constantFrom(':', '#', '[', ' ', '\n', '\r', '\u0085', 'x'), { maxLength: 12 })
    const piece = letters.map((all) => all.join(''))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const harmless = makeHarmless()
        const told = pieces.map((one) => harmless(one)).join('')
        expect(holdsCommand(told)).toBe(false)
        expect(told.replaceAll(' ', '')).toBe(pieces.join('').replaceAll(' ', ''))
      }),
      { numRuns: 2_000 },
    )
  })
})
