// biome-ignore-all lint/suspicious/noTemplateCurlyInString: titles that look like code are the point
import { describe, expect, test } from 'vitest'
import { normaliseTitle, titleFrom } from '../../../src/api/contract/index.ts'

describe('a title', () => {
  test.each([
    ['line breaks become blanks', 'Fix\nthe\r\nlogin\u2028test', 'Fix the login test'],
    ['control and escape characters cannot move a cursor', '\u001b[2Jfix\u0007\u009b1mlogin', '[2Jfix 1mlogin'],
    ['leading dashes stay', '--rm -rf everything', '--rm -rf everything'],
    ['command substitution stays text', '$(reboot) `id` ${HOME}', '$(reboot) `id` ${HOME}'],
    ['emoji stay whole', 'ship 👩‍👩‍👧 🏴‍☠️', 'ship 👩‍👩‍👧 🏴‍☠️'],
    ['right-to-left text stays', 'תקן את הבדיקה', 'תקן את הבדיקה'],
    ['marks that turn the text around them are dropped', 'a\u202egnp.exe\u2066b', 'agnp.exeb'],
    ['half of a pair becomes a replacement mark', 'a\ud83db', 'a\ufffdb'],
    ['nothing is left of blanks', ' \n\t ', ''],
  ])('%s', (_, text, title) => {
    expect(normaliseTitle(text)).toBe(title)
  })

  test('500 characters stay 500', () => {
    expect(normaliseTitle('x'.repeat(500))).toHaveLength(500)
  })
})

describe('the title of a card that was given none', () => {
  test('is the first line of its prompt that says something', () => {
    expect(titleFrom({ prompt: '\n\n  Fix the login test\nIt is flaky.' })).toBe('Fix the login test')
  })

  test('is the command, cut at 80 characters', () => {
    expect(titleFrom({ run: ['npx', 'eslint', 'src/a.ts'] })).toBe('npx eslint src/a.ts')
    const cut = titleFrom({ run: `echo ${'🧵'.repeat(200)}` })
    expect([...cut]).toHaveLength(80)
    expect(cut.endsWith('🧵…')).toBe(true)
  })

  test('is "untitled" where nothing can be read', () => {
    expect(titleFrom({ prompt: '\n\u0007\n' })).toBe('untitled')
  })
})
