import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeRunFiles } from '../../../src/runs/index.ts'
import { waitFor } from '../../wait-for.ts'
import { findMarked, isAlive, openSupervised, ways } from './supervised.ts'

describe.each(ways)('with the C library: %s', (libc) => {
  test('C179: text that is too large for the system is refused with its size, and nothing runs', async () => {
    const yard = await openSupervised({ libc })
    const text = 'x'.repeat(3_000_000)
    for (const order of [yard.order(['/bin/echo', text]), yard.order(['/bin/true'], { env: { TEXT: text } })]) {
      const launched = yard.supervisor.launch(order)
      expect(launched).toMatchObject({ ok: false, code: 'E2BIG' })
      if (!launched.ok) expect(launched.bytes).toBeGreaterThan(3_000_000)
      expect(findMarked(order.marker)).toEqual([])
    }
    expect(yard.told).toEqual([])
  })

  test('C179: 100 KB of arguments start', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/echo', 'y'.repeat(100_000)])
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 0 } })
    expect(yard.log(run)).toHaveLength(100_001)
  })

  test.each([
    ['is missing', 'missing'],
    ['is a file', 'file'],
  ])('a folder that %s is refused by name', async (_what, name) => {
    const yard = await openSupervised({ libc })
    const cwd = name === 'file' ? '/etc/passwd' : join(yard.home, name)
    expect(yard.supervisor.launch(yard.order(['/bin/true'], { cwd }))).toMatchObject({
      ok: false,
      code: expect.stringMatching(/^ENO(ENT|TDIR)$/),
      message: expect.stringContaining(cwd),
    })
  })

  test('a run whose directory is gone is refused, and no file is made anew', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/true'])
    rmSync(order.runDir, { recursive: true })
    expect(yard.supervisor.launch(order)).toMatchObject({ ok: false, code: 'ENOENT' })
    expect(() => statSync(order.runDir)).toThrow('ENOENT')
  })

  test('a directory that is deleted while the run works is not made anew, and the end is still told', async () => {
    const yard = await openSupervised({ libc })
    const { run, runDir } = yard.run(['/bin/sh', '-c', 'echo up; until [ -e leave ]; do sleep 0.01; done; exit 4'])
    await yard.said(run, /up/)
    rmSync(runDir, { recursive: true })
    mkdirSync(join(yard.home, 'leave'))
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 4 }, record: null })
    expect(() => statSync(runDir)).toThrow('ENOENT')
  })

  test('arguments reach the worker as they are', async () => {
    const yard = await openSupervised({ libc })
    const words = ['$(id)', '`id`', '-n', '', 'a b', "it's", '\n', '\\n', '*', 'héllo 🎉']
    const { run } = yard.run(['/usr/bin/printf', '[%s]', ...words])
    await yard.exited(run)
    expect(yard.log(run)).toBe(words.map((word) => `[${word}]`).join(''))
  })

  test('the worker has its environment and nothing else (but PWD, its folder), and a log that only we may read', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/usr/bin/env'])
    yard.supervisor.launch({ ...order, env: { A: '1', B_C: 'two words' }, cwd: '/usr' })
    yard.supervisor.go(order.run)
    await yard.exited(order.run)
    expect(yard.log(order.run).trim().split('\n').sort()).toEqual(['A=1', 'B_C=two words', 'PWD=/usr'])
    expect(statSync(composeRunFiles(order.runDir).log).mode & 0o777).toBe(0o600)
  })

  test('no variable of a worker is changed by what starts it', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/usr/bin/env'], { token: 'ymr_R1_x' })
    const env = Object.fromEntries(
      ['go', 'code', 'rest', 'group', 'token', 'x', '_y'].map((name) => [name, `my ${name}`]),
    )
    yard.supervisor.launch({ ...order, env, cwd: '/usr' })
    yard.supervisor.go(order.run)
    await yard.exited(order.run)
    const lines = [...Object.entries(env), ['PWD', '/usr']].map(([name, value]) => `${name}=${value}`)
    expect(yard.log(order.run).trim().split('\n').sort()).toEqual(lines.sort())
  })

  test('go and discard of a run that is not at its gate change nothing', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', '-c', 'exit 0'])
    yard.supervisor.discard(run)
    yard.supervisor.go(run)
    expect(await yard.exited(run)).toMatchObject({ record: { kind: 'code', code: 0 } })
    yard.supervisor.go(run)
    yard.supervisor.discard(run)
  })
})

test('it serves only between start and stop, and both may be asked for twice', async () => {
  const yard = await openSupervised()
  await yard.supervisor.start()
  await Promise.all([yard.supervisor.stop(), yard.supervisor.stop()])
  expect(() => yard.supervisor.launch(yard.order(['/bin/true']))).toThrow('before its start or after its stop')
})

test('when it stops, workers live on and runs at their gate are sent away', async () => {
  const yard = await openSupervised()
  const { run, pid, marker } = yard.run(['/bin/sh', '-c', 'echo up; exec sleep 300'])
  const gated = yard.order(['/bin/echo', 'ran'])
  yard.supervisor.launch(gated)
  await yard.said(run, /up/)
  await yard.supervisor.stop()
  await waitFor(() => expect(findMarked(gated.marker)).toEqual([]))
  expect(isAlive(pid)).toBe(true)
  process.kill(-pid, 'SIGKILL')
  await waitFor(() => expect(findMarked(marker)).toEqual([]))
  expect(yard.log(gated.run)).toBe('')
})
