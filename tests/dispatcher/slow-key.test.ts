import { existsSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

test('a key that is slow to come when the hub starts keeps only the tasks of its own lane waiting', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-slow-key-')))
  const key = join(root, 'key')
  const options = {
    home: root,
    lanes: { slow: { account: 'slow' } },
    accounts: {
      slow: {
        baseUrl: null,
        slots: null,
        key: { command: ['sh', '-c', `while [ ! -e ${key} ]; do sleep 0.02; done; cat ${key}`] },
      },
    },
  }
  writeFileSync(key, 'secret-0123456789')
  const seeding = await startYard(options)
  await seeding.dispatcher.stop()
  const waits = seeding.add({ run: 'echo "$YARDMASTER_API_KEY"' }, { lane: 'slow' })
  const goesOn = seeding.add({ run: 'touch went' })
  await seeding.leave()
  rmSync(key)

  const starting = startYard(options)
  while (!existsSync(join(root, 'work', 'went'))) await new Promise((resolve) => setTimeout(resolve, 5))
  await using yard = await starting
  expect((await yard.over(goesOn)).status).toBe('done')
  expect(yard.dispatcher.lanes().map(({ name, ready, says }) => [name, ready, says])).toEqual(
    expect.arrayContaining([
      ['command', true, 'ready'],
      ['slow', false, 'its key is still asked for'],
    ]),
  )
  expect(yard.runs(waits)).toMatchObject([{ phase: 'claimed', pid: null }])
  writeFileSync(`${key}.new`, 'secret-0123456789')
  renameSync(`${key}.new`, key) // whole: it is read as soon as it is there
  expect((await yard.over(waits)).status).toBe('done')
  expect(yard.runs(waits)).toMatchObject([{ outputTail: '[secret]' }])
})
