import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { examineYard, openStore, startHub } from '../../src/main.ts'
import { makeYardHome, seen } from './yard-home.ts'

test('a home that was copied on this machine says once so, and whose the attempts are that it holds', async () => {
  await using yard = makeYardHome()
  const original = await yard.start()
  await original.client.createTask({
    dir: yard.folder,
    run: 'echo $$ > new-pid; mv new-pid pid; trap "touch heard" TERM; while :; do sleep 0.02; done',
  })
  await seen(original.client, ({ kind }) => kind === 'run.started')
  await expect.poll(() => existsSync(join(yard.folder, 'pid'))).toBe(true)
  const home = join(yard.folder, 'copy')
  execFileSync('cp', ['-a', yard.home, home])

  const options = { ...yard.options(), home }
  const isHeld = {
    code: 'held',
    says: `T1 is held: its attempt R1 runs for ${yard.home}, and this home is a copy of that`,
    you_can: expect.arrayContaining(['yardmaster release T1 --despite R1']),
  }
  const store = await openStore(options)
  expect((await store.client.task(1)).last_run).toMatchObject({ held: true, original: yard.home })
  expect(await store.client.why(1)).toMatchObject(isHeld)
  await store.close()
  const checks = await examineYard({ ...options, config: emptyConfig(1), configHome: yard.folder })
  expect(checks.find(({ name }) => name === 'lock')).toMatchObject({
    says: `free; this home is a copy of one where a hub works (pid ${process.pid})`,
    fix: expect.not.stringContaining('adopts'),
  })

  const first = await startHub(options)
  const text = `this home is a copy of ${yard.home} on this machine: an attempt that runs for that one is held, never signalled; yardmaster why`
  expect((await first.client.health()).hub?.notes).toEqual([text])
  expect((await first.client.task(1)).last_run).toMatchObject({ held: true, original: yard.home })
  expect(await first.client.why(1)).toMatchObject(isHeld)
  await first.stop({ workers: 'end' })

  const second = await startHub(options)
  expect((await second.client.health()).hub?.notes).toEqual([])
  const moved = (await second.client.eventsPage(0, 1_000)).filter(({ kind }) => kind === 'home.moved')
  expect(moved).toMatchObject([{ text, data: { from: yard.home, to: home, held: 1 } }])
  await second.stop({ workers: 'end' })
  expect(existsSync(join(yard.folder, 'heard'))).toBe(false)
  expect(existsSync(`/proc/${readFileSync(join(yard.folder, 'pid'), 'utf8').trim()}`)).toBe(true)
  expect((await original.client.task(1)).last_run).toMatchObject({ held: false, original: null })
})
