import { describe, expect, test } from 'vitest'
import { waitFor } from '../../wait-for.ts'
import { fixture, isAlive, openSupervised, ways } from './supervised.ts'

const worker = (name: string) => ['/bin/sh', fixture(name)]
const stop = { source: 'person', reason: 'stop', atOnce: false } as const

describe.each(ways)('with the C library: %s', (libc) => {
  test('a worker that tidies up on TERM ends by itself, and its own code is told', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run(worker('handles-term.sh'))
    await yard.said(run, /up/)
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 5 }, delivered: true })
    expect(yard.log(run)).toContain('bye')
    expect(rungs(yard)).toEqual([expect.stringMatching(`^TERM: TERM to the group of ${pid} by .*: delivered$`)])
    expect(yard.signals[0]).toMatchObject({ source: 'person', reason: 'stop', signal: 'SIGTERM', answer: 'delivered' })
  })

  test('a worker that ignores TERM is killed when its grace is over', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(worker('ignores-term.sh'), { graceMs: 150 })
    await yard.said(run, /up/)
    const askedMs = process.hrtime.bigint()
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'signal', signal: 'SIGKILL' }, delivered: true })
    expect(Number(process.hrtime.bigint() - askedMs) / 1e6).toBeGreaterThan(140)
    expect(rungs(yard).map((text) => text.slice(0, 4))).toEqual(['TERM', 'KILL'])
    await yard.swept(run)
  })

  test('a stopped worker hears TERM, since it is made to go on', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(worker('stops-itself.sh'))
    await yard.said(run, /up/)
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 7 }, delivered: true })
  })

  test('TERM comes before KILL: what had ended behind a stopped shim keeps its code', async () => {
    const yard = await openSupervised({ libc })
    const { run, pid } = yard.run(['/bin/sh', '-c', 'kill -STOP $PPID; echo "ends $$"'], { graceMs: 20_000 })
    const worker = Number((await yard.said(run, /ends (\d+)/))[1])
    await waitFor(() => expect([isAlive(worker), isAlive(pid)]).toEqual([false, true]))
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'code', code: 0 }, delivered: false })
    expect(rungs(yard).map((text) => text.slice(0, 4))).toEqual(['TERM'])
  })

  test('asked at once it is killed without grace; asked again nothing goes down a rung', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(worker('ignores-term.sh'), { graceMs: 60_000 })
    await yard.said(run, /up/)
    yard.supervisor.end(run, stop)
    yard.supervisor.end(run, stop)
    yard.supervisor.end(run, { ...stop, atOnce: true })
    yard.supervisor.end(run, stop)
    expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'signal', signal: 'SIGKILL' }, delivered: true })
    expect(rungs(yard).map((text) => text.slice(0, 4))).toEqual(['TERM', 'KILL'])
  })

  test('C29: the whole tree is ended, children in the group and a daemon outside of it', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run([
      '/bin/sh',
      '-c',
      'setsid sh -c \'echo "daemon $$"; exec sleep 300\' & sleep 300 & echo "child $!"; wait',
    ])
    const daemon = Number((await yard.said(run, /daemon (\d+)/))[1])
    const child = Number((await yard.said(run, /child (\d+)/))[1])
    yard.supervisor.end(run, stop)
    await yard.swept(run)
    expect([isAlive(daemon), isAlive(child)]).toEqual([false, false])
  })

  test('a stop that comes after the end reached nobody, and says so', async () => {
    const yard = await openSupervised({ libc })
    const { run } = yard.run(['/bin/sh', '-c', 'exit 0'])
    expect(await yard.exited(run)).toMatchObject({ delivered: false })
    yard.supervisor.end(run, { ...stop, atOnce: true })
    expect(rungs(yard)).toEqual([])
  })

  test('a run that was started a moment ago, after the look for another stop, is ended too', async () => {
    const yard = await openSupervised({ libc })
    const first = yard.run(['/bin/sleep', '300'])
    yard.supervisor.end(first.run, stop)
    const second = yard.run(['/bin/sleep', '300'])
    yard.supervisor.end(second.run, { ...stop, atOnce: true })
    expect(await yard.exited(second.run)).toMatchObject({
      wait: { kind: 'signal', signal: 'SIGKILL' },
      delivered: true,
    })
  })

  test('a stop in the moment in which the worker is being started is heard by it, and only once', async () => {
    const yard = await openSupervised({ libc })
    const runs = Array.from({ length: 60 }, () => {
      const { run } = yard.run(['/bin/sleep', '300'], { graceMs: 60_000 })
      yard.supervisor.end(run, stop)
      return run
    })
    for (const run of runs) {
      expect(await yard.exited(run)).toMatchObject({ wait: { kind: 'signal', signal: 'SIGTERM' }, delivered: true })
    }
    expect(yard.signals.filter(({ signal, source }) => signal === 'SIGTERM' && source === 'person')).toHaveLength(60)
  })

  test('a run that shows no program of its own is sent TERM all the same, once', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sleep', '300'], { graceMs: 2_000 })
    const launched = yard.supervisor.launch(order)
    if (!launched.ok) throw new Error(launched.message)
    process.kill(launched.identity.pid, 'SIGSTOP') // its shim does not come to start the worker
    yard.supervisor.go(order.run)
    yard.supervisor.end(order.run, stop)
    await yard.exited(order.run) // of either: stopped before or after it had set its handlers
    expect(rungs(yard)[0]).toMatch(/^TERM: .*: delivered$/)
    expect(yard.signals.filter(({ signal }) => signal === 'SIGTERM')).toHaveLength(1)
  })

  test('stops run side by side: ten workers that ignore TERM are gone after one grace', async () => {
    const yard = await openSupervised({ libc })
    const runs = Array.from({ length: 10 }, () => yard.run(worker('ignores-term.sh'), { graceMs: 1_000 }).run)
    for (const run of runs) await yard.said(run, /up/)
    const began = process.hrtime.bigint()
    for (const run of runs) yard.supervisor.end(run, stop)
    for (const run of runs) await yard.exited(run)
    expect(Number(process.hrtime.bigint() - began) / 1e6).toBeLessThan(8_000) // one after the other they would take 10 s
  })
})

function rungs(yard: { told: readonly { kind: string; text?: string }[] }): readonly string[] {
  return yard.told.flatMap(({ kind, text }) => (kind === 'rung' && text !== undefined ? [text] : []))
}
