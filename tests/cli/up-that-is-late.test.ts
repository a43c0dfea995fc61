import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/index.ts'
import { aHome } from './a-home.ts'

test('a hub that lives and does not serve is not said to have ended, and its log begins anew where it was long', async () => {
  await using yard = aHome()
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * 100 }
  const self = ['/bin/sh', '-c', 'exec sleep 60']
  await yard.type('add', 'a card', '--', 'true')
  const log = join(yard.home, 'log', 'up.log')
  writeFileSync(log, 'of last year\n')
  truncateSync(log, 17 * 1024 ** 2)
  const { code, err } = await yard.typeWith({ clock, self }, 'up', '-d')
  const pid = Number(/pid (\d+)/.exec(err)?.[1])
  expect(process.kill(pid, 0)).toBe(true)
  process.kill(pid, 'SIGKILL')
  expect(code).toBe(1)
  expect([statSync(log).size, statSync(`${log}.1`).size]).toEqual([0, 17 * 1024 ** 2])
  expect(err).toContain('was started and does not serve yet after 60 s; it goes on trying [CLI_HUB_IS_LATE]')
  expect(err).toContain(`end it: kill ${pid}`)
})
