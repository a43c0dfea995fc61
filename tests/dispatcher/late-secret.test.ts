import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard, type YardOptions } from './start-yard.ts'

/** A lane whose key is given out only once a file is there; it says when it is asked for. */
function slowSecret(root: string): YardOptions {
  const script = `touch ${root}/asked; while [ ! -e ${root}/answer ]; do sleep 0.02; done; echo secret-0123456789; touch ${root}/told`
  return {
    home: root,
    lanes: { command: { account: 'slow' } },
    accounts: { slow: { baseUrl: null, slots: null, key: { command: ['sh', '-c', script] } } },
  }
}

/** A yard with one attempt that is claimed and waits for its key; `answer` gives it. */
async function yardThatWaits(more: YardOptions = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-secret-')))
  const answer = () => writeFileSync(join(root, 'answer'), '')
  answer() // the look at the lanes when it starts asks, too
  const yard = await startYard({ ...slowSecret(root), ...more })
  rmSync(join(root, 'answer'))
  rmSync(join(root, 'asked'))
  const id = yard.add({ run: 'touch ran' })
  while (!existsSync(join(root, 'asked'))) await new Promise((resolve) => setTimeout(resolve, 5))
  return { yard, id, root, answer }
}

test('a stop that comes while a key is asked for ends when the answer is there, and the attempt goes back unstarted', async () => {
  const { yard, id, answer } = await yardThatWaits()
  await using _ = yard
  const stopped = yard.dispatcher.stop({ workers: 'end' })
  answer()
  await stopped // far below the slow look at everything, which a test yard takes once a minute
  expect(yard.task(id)).toMatchObject({ status: 'ready', failures: 0 })
  expect(yard.runs(id)).toMatchObject([{ outcome: 'interrupted', startedAtMs: null }])
  expect(existsSync(join(yard.folder, 'ran'))).toBe(false)
})

test('what waits for its key when we leave goes back at once, and a key that comes after that changes nothing', async () => {
  const faults: string[] = []
  const { yard, id, root, answer } = await yardThatWaits({ onFault: (event) => faults.push(event) })
  await yard.dispatcher.stop({ workers: 'leave' })
  expect(yard.task(id)).toMatchObject({ status: 'ready', failures: 0 })
  expect(yard.runs(id)).toMatchObject([{ outcome: 'interrupted', startedAtMs: null }])
  await yard.leave()
  answer()
  while (!existsSync(join(root, 'told'))) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(faults).toEqual([])
  rmSync(root, { recursive: true, force: true })
})
