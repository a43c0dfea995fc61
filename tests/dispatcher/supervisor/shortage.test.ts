import { expect, test } from 'vitest'
import { systemClock } from '../../../src/kernel/index.ts'
import { takeDescriptors } from '../../runs/take-descriptors.ts'
import { waitFor } from '../../wait-for.ts'
import { isAlive, openSupervised } from './supervised.ts'

/** Tells when something that was planned for at once has been done. */
function watchedClock() {
  let done = 0
  const after: typeof systemClock.after = (ms, signal, act) =>
    systemClock.after(ms, signal, () => {
      act()
      if (ms === 0) done += 1
    })
  return { clock: { ...systemClock, after }, done: () => done }
}

test('an end whose record cannot be read for want of a file descriptor waits until it can: it is not unknowable', async () => {
  const first = await openSupervised()
  const run = first.run(['/bin/sh', '-c', 'exit 75'])
  await first.exited(run.run)
  await waitFor(() => expect(isAlive(run.pid)).toBe(false))

  const { clock, done } = watchedClock()
  const later = await openSupervised({ clock })
  const { argv, cwd, env, token, ...known } = run
  const record = { ...known, phase: 'started', startedMonotonic: null, stopping: null } as const
  expect(later.adopt(record)).toBe('gone')
  {
    using _ = takeDescriptors()
    const before = done()
    while (done() === before) await new Promise((next) => setImmediate(next))
    expect(later.told.map(({ kind }) => kind)).toEqual([])
  }
  expect(await later.exited(run.run)).toMatchObject({ record: { kind: 'code', code: 75 } })
  await later.swept(run.run)
})

test('a run that is looked for while there is no file descriptor is held, and told when there are some', async () => {
  const first = await openSupervised()
  const run = first.run(['/bin/sh', '-c', 'exit 75'])
  await first.exited(run.run)
  const later = await openSupervised()
  const { argv, cwd, env, token, ...known } = run
  const record = { ...known, phase: 'started', startedMonotonic: null, stopping: null } as const
  {
    using _ = takeDescriptors()
    expect(later.adopt(record)).toBe('cannot_tell')
  }
  expect(later.supervisor.standing(run.run)).not.toBe('held')
  expect(await later.exited(run.run)).toMatchObject({ record: { kind: 'code', code: 75 } })
  await later.swept(run.run)
})
