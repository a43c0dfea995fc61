import { beyondCounting, isBeyondCounting } from '../../kernel/config/index.ts'
import { describeSize, isFields, leastLogBytes, leastMemoryBytes, parseSize } from '../../kernel/index.ts'

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
  const { timeout, stall, grace, memory, log_limit } = fields
  return [
    ...Object.entries({ timeout, stall, grace, memory, log_limit }).flatMap(([field, text]) =>
      isBeyondCounting(text) ? [{ field, ...beyondCounting(text) }] : [],
    ),
    ...tooLittle('memory', memory, leastMemoryBytes),
    ...tooLittle('log_limit', log_limit, leastLogBytes),
  ]
}

function tooLittle(field: string, text: unknown, leastBytes: number): readonly AmountFault[] {
  const bytes = typeof text === 'string' ? parseSize(text) : undefined
  if (bytes === undefined || bytes === 0 || bytes >= leastBytes) return []
  return [{ field, says: `(${text}) is less than ${describeSize(leastBytes)}`, fix: 'raise it, or take it out' }]
}
