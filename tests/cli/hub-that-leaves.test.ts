import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { aHome } from './a-home.ts'
import { aHub } from './a-hub.ts'

test('a hub that was told to stop says so in list, why, add and resume, and promises no start', async () => {
  await using yard = aHome()
  const hub = await aHub(yard.home, { config: emptyConfig(2) })
  try {
    await hub.client.createTask({ dir: yard.cwd, run: 'while [ ! -e go ]; do sleep 0.05; done' })
    await expect.poll(async () => (await hub.client.task(1)).last_run?.phase).toBe('started')
    await hub.client.down('drain')

    const { out: added } = await yard.type('add', 'late', '--', 'true')
    expect(added).toContain('It does not start yet: the hub is being stopped and starts nothing new')
    expect((await yard.type('list')).out).toMatch(
      /^STOPPING {2}.* once 1 attempt has ended\. At once: yardmaster down --now\n/,
    )
    expect((await yard.type('resume')).out).toContain('The hub is being stopped all the same')
    expect((await yard.type('why', 'T2')).out).toContain('the hub is being stopped and starts nothing new  [draining]')
    writeFileSync(join(yard.cwd, 'go'), '')
    await hub.downAsked
  } finally {
    await hub.stop({ workers: 'end' })
  }
  expect((await yard.type('list')).out).toMatch(/^NO HUB/)
})

test('down says of a held attempt not that it is waited for', async () => {
  await using yard = aHome()
  await using copy = aHome()
  const hub = await aHub(yard.home, { config: emptyConfig(2) })
  try {
    await hub.client.createTask({ dir: yard.cwd, run: 'sleep 300' })
    await expect.poll(async () => (await hub.client.task(1)).last_run?.phase).toBe('started')
    rmSync(copy.home, { recursive: true, force: true })
    execFileSync('cp', ['-a', yard.home, copy.home])
    const copied = await aHub(copy.home, { config: emptyConfig(2) })
    const down = await copy.type('down')
    await copied.stop({ workers: 'leave' })
    expect(down).toMatchObject({ code: 0, err: '' })
  } finally {
    const stopped = hub.stop({ workers: 'end' })
    hub.hurry()
    await stopped
  }
})
