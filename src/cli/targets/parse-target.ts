import { parseId } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'

/** What a person names on the command line, before anybody looked whether it exists. */
export type Target =
  | { readonly kind: 'task'; readonly id: number }
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'run'; readonly id: number }
  | { readonly kind: 'batch'; readonly id: number }
  /** A batch's name or a task's key. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'last' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'needs_me' }
  /** `@E1`: a group of the report's "failed, by cause". */
  | { readonly kind: 'cause'; readonly number: number }

/** Most ids that a range may span: a typing slip must not become ten thousand calls. */
const longestRange = 1_000

/**
 * Reads `T5` `t5` `12` `T5-T9` `R12` `B7` `-` `@failed` `@needs-me` `@E1`; anything else is a batch's name or a key.
 * Throws `CLI_BAD_TARGET`.
 */
export function parseTarget(text: string): Target {
  if (text === '-') return { kind: 'last' }
  if (text.startsWith('@')) return parseGroup(text)
  const range = /^T?(\d+)-T?(\d+)$/i.exec(text)
  if (range !== null) return parseRange(text, Number(range[1]), Number(range[2]))
  const letter = text[0]?.toUpperCase()
  if (letter === 'R' || letter === 'B') {
    const id = parseId(letter, text)
    if (id !== undefined) return { kind: letter === 'R' ? 'run' : 'batch', id }
  }
  const id = parseId('T', text)
  if (id !== undefined) return { kind: 'task', id }
  if (text.trim() === '') throw cliError('CLI_BAD_TARGET', { target: text, why: 'it is empty' })
  return { kind: 'name', name: text }
}

function parseGroup(text: string): Target {
  if (text === '@failed') return { kind: 'failed' }
  if (text === '@needs-me') return { kind: 'needs_me' }
  const cause = /^@E([1-9]\d{0,5})$/i.exec(text)
  if (cause !== null) return { kind: 'cause', number: Number(cause[1]) }
  throw cliError('CLI_BAD_TARGET', {
    target: text,
    why: 'no group has this name',
    fix: 'the groups are @failed, @needs-me and the @E1, @E2, … of a report',
  })
}

function parseRange(text: string, from: number, to: number): Target {
  if (from < 1) throw cliError('CLI_BAD_TARGET', { target: text, why: 'ids start at 1' })
  if (to < from) {
    throw cliError('CLI_BAD_TARGET', { target: text, why: 'it runs backwards', fix: `T${to}-T${from}` })
  }
  if (to - from >= longestRange) {
    throw cliError('CLI_BAD_TARGET', {
      target: text,
      why: `it spans more than ${longestRange} tasks`,
      fix: 'name a batch, or filter with --batch, --lane, --label or --status',
    })
  }
  return { kind: 'range', from, to }
}
