import { expect } from 'vitest'
import { type BatchUnderFire, type FireInput, workersOf } from './batch-under-fire.ts'

/** The exit code of a batch with a failed task: `stubborn` fails by its timeout, on purpose. */
const somethingFailed = 3

/**
 * Runs the batch to its end and holds it against P4: every task has come to its end, none was begun twice that was not
 * meant to, no end counts twice, and no process remains.
 */
export async function expectNothingLost(batch: BatchUnderFire, { work, rare }: FireInput): Promise<void> {
  expect(await batch.finish()).toBe(rare.includes('stubborn') ? somethingFailed : 0)

  const numbers = Array.from({ length: work }, (_, n) => n)
  expect(wordsOf(batch.traces())).toEqual({
    ...Object.fromEntries(numbers.map((n) => [`work-${n}`, ['begin', 'end']])),
    last: ['begin', 'end'],
    ...(rare.includes('stubborn') ? { stubborn: ['begin'] } : {}),
    ...(rare.includes('walled') ? { walled: ['begin', 'begin', 'end'] } : {}),
    ...(rare.includes('chatty') ? { chatty: ['begin', 'end'] } : {}),
  })

  const { tasks } = await batch.report()
  expect(Object.fromEntries(tasks.map(({ key, status }) => [key, status]))).toEqual({
    ...Object.fromEntries(numbers.map((n) => [`work[${n}]`, 'done'])),
    last: 'done',
    ...(rare.includes('stubborn') ? { stubborn: 'failed' } : {}),
    ...(rare.includes('walled') ? { walled: 'done' } : {}),
    ...(rare.includes('chatty') ? { chatty: 'done' } : {}),
  })
  expect(workersOf(batch.home)).toEqual([])
}

/** The traces without the numbers of the attempts. */
function wordsOf(traces: Readonly<Record<string, readonly string[]>>) {
  return Object.fromEntries(
    Object.entries(traces).map(([key, lines]) => [key, lines.map((line) => line.split(' ')[0])]),
  )
}
