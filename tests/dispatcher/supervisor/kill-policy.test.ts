import { describe, expect, test } from 'vitest'
import { type KillSource, killPolicy, reachesKept } from '../../../src/kernel/process/index.ts'
import { waitFor } from '../../wait-for.ts'
import { fixture, isAlive, openSupervised, ways } from './supervised.ts'

const sources = Object.keys(killPolicy) as KillSource[]

/** What the table promises, written a second time: a row that changes changes what people may rely on. */
const promised: Readonly<Record<KillSource, 'ended' | 'left'>> = {
  person: 'ended',
  shutdown: 'ended',
  tool: 'ended',
  limit: 'left',
  batch: 'left',
  sweep: 'left',
  restart: 'left',
  linger: 'left',
}

test('each source says what becomes of kept processes, and why', () => {
  for (const source of sources) {
    expect([source, killPolicy[source].kept]).toEqual([source, promised[source]])
    expect(killPolicy[source].why).not.toBe('')
  }
})

describe.each(ways)('with the C library: %s', (libc) => {
  test.each(sources)('a stop by %s ends the work, and kept processes as its policy says', async (source) => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', fixture('leaves-daemon.sh'), 'stay'], { keeps: true })
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    const worker = Number((await yard.said(run, /worker (\d+)/))[1])
    yard.supervisor.end(run, { source, reason: 'a test of its policy', atOnce: false })
    await yard.swept(run)
    expect([isAlive(worker), isAlive(daemon)]).toEqual([false, !reachesKept(source)])
    expect(yard.signals.some(({ pid }) => pid === daemon)).toBe(reachesKept(source))
    if (isAlive(daemon)) process.kill(daemon, 'SIGKILL')
    await waitFor(() => expect(isAlive(daemon)).toBe(false))
  })

  test('a kept process that ignores TERM is killed after a stop by a person, also when its worker ended before it', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(
      ['/bin/sh', '-c', `setsid sh -c 'echo "daemon $$"; . ${fixture('ignores-term.sh')}' & wait; exec sleep 300`],
      { keeps: true },
    )
    const daemon = Number((await yard.said(run, /daemon (\d+)[\s\S]*up/))[1])
    yard.supervisor.end(run, { source: 'person', reason: 'cancel by anna', atOnce: false })
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(false)
    expect(yard.signals.filter(({ pid, signal }) => pid === daemon && signal === 'SIGTERM')).toHaveLength(1)
    expect(new Set(yard.signals.map(({ source }) => source))).toEqual(new Set(['person']))
  })

  test('a second Ctrl-C reaches what a limit had left alone', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(
      ['/bin/sh', '-c', `setsid sh -c 'echo "daemon $$"; exec sleep 300' & . ${fixture('ignores-term.sh')}`],
      { keeps: true, graceMs: 60_000 },
    )
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    await yard.said(run, /up/)
    yard.supervisor.end(run, { source: 'limit', reason: 'timeout', atOnce: false })
    expect(isAlive(daemon)).toBe(true)
    yard.supervisor.end(run, { source: 'shutdown', reason: 'hurry', atOnce: true })
    await yard.swept(run)
    expect(isAlive(daemon)).toBe(false)
  })

  test('a person who cancels while a limit is ending the work reaches what that had spared; the work is asked once', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(
      [
        '/bin/sh',
        '-c',
        `setsid sh -c 'trap "echo kept asked; exit" TERM; echo "daemon $$"; while :; do sleep 0.02; done' &
         . ${fixture('counts-term.sh')}`,
      ],
      { keeps: true, graceMs: 60_000 },
    )
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    await yard.said(run, /up/)
    yard.supervisor.end(run, { source: 'limit', reason: 'timeout', atOnce: false })
    await yard.said(run, /term 1/)
    expect(isAlive(daemon)).toBe(true)
    yard.supervisor.end(run, { source: 'person', reason: 'cancel by anna', atOnce: false })
    await yard.said(run, /kept asked/)
    await waitFor(() => expect(isAlive(daemon)).toBe(false))
    yard.supervisor.end(run, { source: 'limit', reason: 'memory', atOnce: true })
    await yard.swept(run)
    expect(yard.log(run)).not.toContain('term 2')
    expect(yard.signals.findLast(({ signal }) => signal === 'SIGKILL')).toMatchObject({ source: 'person' })
  })
})
