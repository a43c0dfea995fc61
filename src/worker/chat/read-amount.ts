import { describeDuration, formatDuration, parseCount, parseDuration } from '../../kernel/index.ts'
import type { ChatFlag } from './flags.ts'
import { shorten } from './read-flags.ts'

/** A number of a flag in its own unit (milliseconds, tokens, USD), or what is wrong with the text. */
export function readAmount(flag: ChatFlag, text: string): number | { readonly fault: string } {
  const value = amountIn(flag, text)
  if (value === undefined) return { fault: `--${flag.name} must be ${formOf(flag)}, not ${shorten(text)}` }
  const least = flag.least ?? 0
  const most = flag.most ?? Number.MAX_SAFE_INTEGER
  if (value >= least && value <= most) return value
  return {
    fault: `--${flag.name} ${shorten(text)} is out of range: ${sayAmount(flag, least)} to ${sayAmount(flag, most)}`,
  }
}

function amountIn({ value }: ChatFlag, text: string): number | undefined {
  switch (value) {
    case 'DURATION':
      return parseDuration(text)
    case 'TOKENS':
      return parseCount(/^\d{1,15}$/.test(text) ? Number(text) : text)
    case 'USD':
      return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined
    case 'DECIMAL':
      return /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined
    default:
      return /^\d{1,15}$/.test(text) ? Number(text) : undefined
  }
}

function formOf({ value }: ChatFlag): string {
  switch (value) {
    case 'DURATION':
      return 'a duration such as 30s'
    case 'TOKENS':
      return 'a number of tokens such as 200k or 2M'
    case 'USD':
      return 'an amount such as 0.50'
    case 'DECIMAL':
      return 'a number such as 0.7'
    default:
      return 'a whole number'
  }
}

function sayAmount({ value }: ChatFlag, amount: number): string {
  return value === 'DURATION' ? (amount < 1_000 ? formatDuration(amount) : describeDuration(amount)) : String(amount)
}
