import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { markerVariable, watchBirths } from '../../../src/kernel/process/index.ts'

const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('who was started since the last question is found once, with its markers, and who was there before is not', async () => {
  const before = await start('yard:R1:aa')
  const births = watchBirths()
  const [first, second] = [await start('yard:R2:bb'), await start('yard:R2:bb yard:R3:cc')]
  const found = births.catchUp(({ parent }) => parent === process.pid)
  expect(new Map(found.map(({ stat, markers }) => [stat.pid, markers]))).toEqual(
    new Map([
      [first, ['yard:R2:bb']],
      [second, ['yard:R2:bb', 'yard:R3:cc']],
    ]),
  )
  expect(found.some(({ stat }) => stat.pid === before)).toBe(false)
  expect(births.catchUp(({ pid }) => pid === first || pid === second)).toEqual([])
})

test('who is of no interest is passed over', async () => {
  const births = watchBirths()
  const [first, second] = [await start('yard:R1:aa'), await start('yard:R1:aa')]
  expect(
    births.catchUp(({ parent, pid }) => parent === process.pid && pid !== first).map(({ stat }) => stat.pid),
  ).toEqual([second])
})

/** A process with these markers, of which it is sure that its program has begun. */
async function start(markers: string): Promise<number> {
  const child = spawn('/bin/sh', ['-c', 'echo up; read -r line'], {
    env: { [markerVariable]: markers },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  started.push(child)
  await once(child.stdout, 'data')
  return child.pid ?? 0
}
