import { beyondCounting, isBeyondCounting } from '../../kernel/config/index.ts'
import {
  countPattern,
  describeSize,
  isFields,
  leastLogBytes,
  leastMemoryBytes,
  parseCount,
  parseSize,
} from '../../kernel/index.ts'

/** A field that says an amount which no attempt could be started with. */
export interface AmountFault {
  readonly field: string
  readonly says: string
  readonly fix: string
}

/**
 * Durations and sizes of a task, or of `defaults`, that have the right form and cannot be: the hub would refuse them, and a
 * dry run is to say so first. What has not even the form is told by the shape.
 */
export function findAmountFaults(fields: unknown): readonly AmountFault[] {
  if (!isFields(fields)) return []
  const { timeout, stall, grace, memory, log_limit, budget } = fields
  return [
    ...Object.entries({ timeout, stall, grace, memory, log_limit }).flatMap(([field, text]) =>
      isBeyondCounting(text) ? [{ field, ...beyondCounting(text) }] : [],
    ),
    ...tokenFaults(budget),
    ...tooLittle('memory', memory, leastMemoryBytes),
    ...tooLittle('log_limit', log_limit, leastLogBytes),
  ]
}

function tokenFaults(budget: unknown): readonly AmountFault[] {
  const tokens = isFields(budget) ? budget.tokens : undefined
  if (typeof tokens !== 'string' || !new RegExp(countPattern).test(tokens) || parseCount(tokens) !== undefined)
    return []
  return [{ field: 'budget', says: `(${tokens} tokens) is no whole number`, fix: 'write a number such as 500k or 5M' }]
}

function tooLittle(field: string, text: unknown, leastBytes: number): readonly AmountFault[] {
  const bytes = typeof text === 'string' ? parseSize(text) : undefined
  if (bytes === undefined || bytes === 0 || bytes >= leastBytes) return []
  return [{ field, says: `(${text}) is less than ${describeSize(leastBytes)}`, fix: 'raise it, or take it out' }]
}
