import { isDeeperThan, isFields } from '../../../kernel/index.ts'
import type { ToolCall } from '../../provider/reply.ts'

/** Deeper ones, which would only overflow whoever walks them, are told apart by their text. */
const deepestArguments = 100

/**
 * Two calls that mean the same have the same digest: keys sorted at every depth, texts trimmed, what is null left out.
 * Arguments that are no JSON, or nested too deep, count by their text.
 */
export function digestCall({ name, argumentsText }: Pick<ToolCall, 'name' | 'argumentsText'>): string {
  return digest(`${name}\n${canonicalArguments(argumentsText)}`)
}

/** By a module that is loaded at the first call: `node:crypto` is a tenth of the start of a worker. */
export const digest = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64url').slice(0, 22)

function canonicalArguments(text: string): string {
  const value = parse(text)
  return value === undefined || isDeeperThan(value, deepestArguments) ? text.trim() : JSON.stringify(canonical(value))
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string') return value.trim()
  if (Array.isArray(value)) return value.map(canonical)
  if (!isFields(value)) return value
  const kept = Object.keys(value)
    .filter((key) => value[key] !== null)
    .sort()
  return kept.map((key) => [key, canonical(value[key])])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    return undefined // no JSON, which is the answer; a JSON text is never undefined
  }
}
