import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

const mib = 1_024 * 1_024
const takesMemory = (mibs: number, how: 'stay' | 'leave') =>
  [
    process.execPath,
    fileURLToPath(new URL('../fixtures/process/takes-memory.mjs', import.meta.url)),
    `${mibs}`,
    how,
  ] as const

test('C40: a task that takes more memory than it may ends as out of memory, and the others go on', async () => {
  await using yard = await startYard({ slots: 2 })
  const other = yard.add({ run: 'until [ -e leave ]; do sleep 0.02; done' })
  const greedy = yard.add({ run: takesMemory(200, 'stay'), memoryBytes: 120 * mib })
  expect(await yard.over(greedy)).toMatchObject({ status: 'failed', holdCode: 'oom', failures: 1 })
  const [run] = yard.runs(greedy)
  expect(run).toMatchObject({ outcome: 'oom', stop: { kind: 'memory' }, stopDelivered: true })
  expect(run?.reason).toMatch(/^used more memory than it may: \d+ MiB in \d processes, more than 120 MiB/)
  expect(run?.peakRssBytes).toBeGreaterThan(120 * mib)
  expect(run?.cpuSeconds).toBeGreaterThan(0)
  expect(yard.task(other).status).toBe('running')
  yard.board.cancelTask(other, { by: 'ana' })
  await yard.over(other)
})

test('a lane may set the limit for all its tasks, and one of them may lift it', async () => {
  await using yard = await startYard({ slots: 2, lanes: { small: { uses: 'command', memoryBytes: 100 * mib } } })
  const held = yard.add({ run: takesMemory(160, 'stay') }, { lane: 'small' })
  const lifted = yard.add({ run: takesMemory(160, 'leave'), memoryBytes: 'off' }, { lane: 'small' })
  expect(await yard.over(held)).toMatchObject({ status: 'failed', holdCode: 'oom' })
  expect(await yard.over(lifted)).toMatchObject({ status: 'done' })
})
