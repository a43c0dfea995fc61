import { describe, expect, test } from 'vitest'
import { cardTemplate, parseCard } from '../../../src/cli/card/edited-card.ts'
import { splitText } from '../../../src/cli/text-operand.ts'

describe('a card from the editor', () => {
  test('takes its title from the first line and keeps Markdown headings', () => {
    const text = cardTemplate('Migrate to vite\n\n# Why\nIt is faster.', ['help'])
    expect(parseCard(text)).toEqual({
      title: 'Migrate to vite',
      prompt: 'Migrate to vite\n\n# Why\nIt is faster.',
    })
  })

  test('of one line is its own prompt', () => {
    expect(parseCard(cardTemplate('Fix it', []))).toEqual({ title: 'Fix it', prompt: undefined })
  })

  test('is left alone when nothing was written', () => {
    expect(parseCard(cardTemplate('  \n', ['help']))).toBeUndefined()
    expect(parseCard('')).toBeUndefined()
  })

  test('written with Windows line ends is the same card', () => {
    expect(parseCard('Title\r\n\r\nBody\r\n# ------------------------ >8 ------------------------\r\n# x')?.title).toBe(
      'Title',
    )
  })
})

describe('targets and a text on one line', () => {
  const stdin = { isTerminal: false, readAll: async () => 'from stdin', stream: process.stdin }
  const split = (args: string[], filtered = false) => splitText({ stdin }, { args, filtered })

  test('the first word is a target, then what can only be one, then the text', async () => {
    expect(await split(['T5', 'cover logout too'])).toEqual({ targets: ['T5'], text: 'cover logout too' })
    expect(await split(['T5', 'T6-T8', '@failed', 'again'])).toEqual({
      targets: ['T5', 'T6-T8', '@failed'],
      text: 'again',
    })
    expect(await split(['night'])).toEqual({ targets: ['night'], text: undefined })
  })

  test('with filters no target is needed', async () => {
    expect(await split(['try the new key'], true)).toEqual({ targets: [], text: 'try the new key' })
  })

  test('a lone dash is standard input', async () => {
    expect(await split(['T5', '-'])).toEqual({ targets: ['T5'], text: 'from stdin' })
  })

  test('a forgotten quote is told', async () => {
    await expect(split(['T5', 'cover', 'logout'])).rejects.toMatchObject({
      code: 'CLI_BAD_USE',
      fix: 'put the text in quotes',
    })
  })
})
