import { expect } from 'vitest'
import { type BatchUnderFire, workersOf } from './batch-under-fire.ts'

/** Exit code of the batch: `stubborn` fails by its timeout, on purpose. */
const somethingFailed = 3

/**
 * Runs the batch to its end and holds it against P4: every task has come to its end, none was begun twice that was not
 * meant to, no end counts twice, and no process remains.
 */
export async function expectNothingLost(batch: BatchUnderFire, input: { readonly work: number }): Promise<void> {
  expect(await batch.finish()).toBe(somethingFailed)

  const traces = batch.traces()
  const workKeys = Array.from({ length: input.work }, (_, n) => `work-${n}`)
  for (const key of [...workKeys, 'last']) {
    expect([key, traces[key]]).toEqual([key, [expect.stringMatching(/^begin /), expect.stringMatching(/^end /)]])
  }
  expect(traces.stubborn).toHaveLength(1)
  expect(traces.walled?.map((line) => line.split(' ')[0])).toEqual(['begin', 'begin', 'end'])

  const { tasks } = await batch.report()
  const statuses = Object.fromEntries(tasks.map(({ key, status }) => [key, status]))
  expect(statuses).toEqual({
    stubborn: 'failed',
    walled: 'done',
    last: 'done',
    ...Object.fromEntries(Array.from({ length: input.work }, (_, n) => [`work[${n}]`, 'done'])),
  })
  expect(workersOf(batch.home)).toEqual([])
}
