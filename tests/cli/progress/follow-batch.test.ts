import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventView } from '../../../src/api/contract/index.ts'
import { type EndedAttempt, endLine } from '../../../src/cli/progress/end-line.ts'
import { followBatch } from '../../../src/cli/progress/follow-batch.ts'
import { systemClock } from '../../../src/kernel/index.ts'
import type { Hub } from '../../../src/main.ts'
import { aHub } from '../a-hub.ts'
import { openPlace, type Place } from '../run/a-place.ts'

let place: Place
let hub: Hub
beforeEach(async () => {
  place = openPlace()
  hub = await aHub(place.home)
})
afterEach(async () => {
  await hub.stop({ workers: 'end' })
  await place[Symbol.asyncDispose]()
})

/** All that is told of the batch from the event after the first of that kind. */
async function followAfter(kind: EventView['kind']): Promise<readonly EndedAttempt[]> {
  const { signal } = new AbortController()
  const ends: EndedAttempt[] = []
  let after = 0
  for await (const event of hub.client.events(0, { batch: 1 }, signal)) {
    after = event.seq
    if (event.kind === kind) break
  }
  const listener = { ended: (end: EndedAttempt) => ends.push(end), noted: () => {} }
  await followBatch({ client: hub.client }, { batch: 1, after, listener, signal })
  return ends
}

test('who begins to follow between the end of an attempt and the move of its task is told of that attempt', async () => {
  place.put('b.yaml', JSON.stringify({ name: 'one', tasks: { one: { run: 'echo worked', check: 'true' } } }))
  await place.type(['run', 'b.yaml'])

  const [end] = await followAfter('run.exited')
  expect(end?.run).toMatchObject({ id: 1, checked: true })
  expect(end && endLine(end, systemClock.nowMs())).toContain('done, checked [done]')
})

test('what a person has approved is told with what was looked at', async () => {
  place.put('b.yaml', JSON.stringify({ name: 'one', tasks: { one: { run: 'true', check: 'true', review: 'person' } } }))
  await place.type(['run', 'b.yaml'])
  await place.type(['approve', 'T1'])

  const [end] = await followAfter('batch.ended')
  expect(end?.event.kind).toBe('task.approved')
  expect(end && endLine(end, systemClock.nowMs())).toContain('done, checked [done]')
})
