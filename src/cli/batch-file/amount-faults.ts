import { Duration } from '../../kernel/config/index.ts'
import {
  describeSize,
  isFields,
  leastLogBytes,
  leastMemoryBytes,
  parseDuration,
  parseSize,
  sizePattern,
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
  const { timeout, stall, grace, memory, log_limit } = fields
  return [
    ...durationFaults({ timeout, stall, grace }),
    ...sizeFaults('memory', memory, leastMemoryBytes),
    ...sizeFaults('log_limit', log_limit, leastLogBytes),
  ]
}

/** 999999999d has the form; counted in milliseconds it is beyond every whole number that we can keep. */
function durationFaults(durations: Readonly<Record<string, unknown>>): readonly AmountFault[] {
  return Object.entries(durations).flatMap(([field, text]) =>
    isOf(durationForm, text) && parseDuration(text) === undefined
      ? [{ field, says: `(${text}) is longer than can be counted`, fix: 'write less' }]
      : [],
  )
}

function sizeFaults(field: string, text: unknown, leastBytes: number): readonly AmountFault[] {
  if (!isOf(sizeForm, text)) return []
  const bytes = parseSize(text)
  if (bytes === undefined) return [{ field, says: `(${text}) is more than can be counted`, fix: 'write less' }]
  if (bytes >= leastBytes) return []
  return [{ field, says: `(${text}) is less than ${describeSize(leastBytes)}`, fix: 'raise it, or take it out' }]
}

const durationForm = new RegExp(Duration.pattern)
const sizeForm = new RegExp(sizePattern)

const isOf = (form: RegExp, text: unknown): text is string => typeof text === 'string' && form.test(text)
