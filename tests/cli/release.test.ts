import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { startHub } from '../../src/main.ts'
import { aHome } from './a-home.ts'

test('release says what it risks, and does nothing where nobody can be asked and nobody said -y', async () => {
  await using yard = aHome()
  await using copy = aHome()
  const hub = await startHub({
    home: yard.home,
    config: emptyConfig(1),
    env: { PATH: process.env.PATH, HOME: yard.cwd },
    purpose: 'run',
    paused: false,
    self: [process.execPath, '/nowhere/bin.cjs'],
    version: '1.2.3',
  })
  try {
    await hub.client.createTask({ dir: yard.cwd, run: 'sleep 300' })
    await expect.poll(async () => (await hub.client.task(1)).last_run?.phase, { interval: 5 }).toBe('started')
    rmSync(copy.home, { recursive: true, force: true })
    execFileSync('cp', ['-a', yard.home, copy.home])
    const { code, err } = await copy.type('release', 'T1', '--despite', 'R1')
    expect(code).toBe(2)
    expect(err).toContain('R1 may still be alive')
    expect(err).toContain('work on T1 at the same time')
    expect(err).toContain('[CLI_NEEDS_YES]')
    expect((await copy.type('release', 'T1', '--despite', 'R1', '--json')).code).toBe(2)
  } finally {
    const stopped = hub.stop({ workers: 'end' })
    hub.hurry()
    await stopped
  }
})

test('release takes one task and one attempt of it, and asks nothing where there is nothing to let go', async () => {
  await using yard = aHome()
  await yard.type('add', 'a task', '--', 'true')
  const refused = await yard.type('release', 'T1', '--despite', 'R7')
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('[API_NOT_ITS_ATTEMPT]')])
  expect(refused.err).not.toContain('may still be alive')
  expect((await yard.type('release', '-y', 'T1', '--despite', '7')).err).toContain('--despite R981')
  expect((await yard.type('release', '-y', 'T1-T2', '--despite', 'R7')).err).toContain('release takes one task')
  expect((await yard.type('release', 'T1')).code).toBe(2)
})
