import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { LaunchOrder, RunRecord } from '../../../src/dispatcher/supervisor/index.ts'
import { type Clock, runId, systemClock } from '../../../src/kernel/index.ts'
import { formatFingerprint, parseFingerprint, unverified } from '../../../src/kernel/process/index.ts'
import { composeRunDirectory, readExitRecord } from '../../../src/runs/index.ts'
import { bundleFixture, readFirstLine, startProgram } from '../../kernel/process/run-bundled.ts'
import { waitFor } from '../../wait-for.ts'
import { findMarked, fixture, isAlive, openSupervised, type Way, ways } from './supervised.ts'

describe.each(ways)('with the C library: %s', (libc) => {
  test('C38: a worker outlives its hub, is adopted, and its end is told from its record', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', '-c', 'echo "worker $$"; until [ -e leave ]; do sleep 0.01; done; exit 3'])
    const { hub, record } = await startHub(libc, order)
    const worker = Number((await yard.said(order.run, /worker (\d+)/))[1])
    await kill(hub)
    expect(yard.adopt(record)).toBe('same')
    expect(isAlive(worker)).toBe(true)
    writeFileSync(join(yard.home, 'leave'), '')
    const end = { kind: 'code', code: 3 }
    expect(await yard.exited(order.run)).toMatchObject({ wait: null, record: end, adopted: true, otherBoot: false })
    await yard.swept(order.run)
  })

  test('the end of an adopted run is noticed by its record, which is watched', async () => {
    // No poll would notice it before the test is over; looks that were planned for when it had written its record may be late.
    const clock: Clock = {
      ...systemClock,
      every: (ms, ...rest) => systemClock.every(ms * 1_000, ...rest),
      after: (ms, ...rest) => systemClock.after(ms >= 1 && ms <= 64 ? ms * 50 : ms, ...rest),
    }
    const yard = await openSupervised({ libc, clock })
    const order = yard.order(['/bin/sh', '-c', 'echo up; until [ -e leave ]; do sleep 0.01; done'])
    const { hub, record } = await startHub(libc, order)
    await yard.said(order.run, /up/)
    await kill(hub)
    yard.adopt(record)
    writeFileSync(join(yard.home, 'leave'), '')
    expect(await yard.exited(order.run)).toMatchObject({ record: { kind: 'code', code: 0 } })
  })

  test('a hub that dies before it opens the gate leaves a run that has never run', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', '-c', 'echo ran'])
    const { hub, record } = await startHub(libc, order, 'wait')
    await kill(hub)
    await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
    expect(yard.adopt(record)).toBe('never')
    expect(yard.adopt({ ...record, phase: 'claimed', pid: null, fingerprint: null })).toBe('never')
    expect(yard.log(order.run)).toBe('')
    expect(yard.told).toEqual([])
  })

  test.each([
    ['that carries its marker', '', { end: 'swept', alive: false }],
    ['of which nothing but the session is known', 'env -i', { end: 'survivors', alive: true }],
  ])(
    'a record that says never beside a process %s is not taken at its word: that one is waited for',
    async (_what, wipe, expected) => {
      const yard = await openSupervised({ libc })
      const forges = `printf 'never\\n          ' >"${'$'}{0}/exit"; ${wipe} sleep 300 & echo "left $!"; kill -9 $PPID; wait`
      const order = yard.order(['/bin/sh', '-c', forges])
      const { hub, record } = await startHub(libc, { ...order, argv: [...order.argv, order.runDir] }, 'go-and-stop')
      const left = Number((await yard.said(order.run, /left (\d+)/))[1])
      if (wipe !== '') await waitFor(() => expect(findMarked(order.marker)).not.toContain(left)) // not before its program has begun
      await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
      await kill(hub)
      for (const pid of findMarked(order.marker)) if (pid !== left) process.kill(pid, 'SIGKILL')
      expect(readExitRecord(order.runDir)).toBe('never')
      expect(yard.adopt(record)).toBe('gone')
      expect(await yard.exited(order.run)).toMatchObject({ record: wipe === '' ? null : 'never' })
      const end = await waitFor(
        () => yard.told.find(({ kind }) => /swept|survivors/.test(kind)) ?? Promise.reject(new Error('no end told')),
      )
      expect({ end: end.kind, alive: isAlive(left) }).toEqual(expected)
      if (isAlive(left)) process.kill(left, 'SIGKILL')
    },
  )

  test('a run that ended while no hub was up is told from its record', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', '-c', 'exit 75'])
    const { hub, record } = await startHub(libc, order)
    await kill(hub)
    await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
    expect(yard.adopt(record)).toBe('gone')
    expect(yard.told).toEqual([])
    expect(await yard.exited(order.run)).toMatchObject({
      wait: null,
      record: { kind: 'code', code: 75 },
      adopted: true,
    })
    await yard.swept(order.run)
  })

  test('what a dead run left behind is found by its marker after a restart, and a decided end is not told again', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', fixture('leaves-daemon.sh')])
    const { hub, record } = await startHub(libc, order, 'go-and-stop')
    const daemon = Number((await yard.said(order.run, /daemon (\d+)/))[1])
    await kill(hub)
    await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
    expect(yard.adopt({ ...record, phase: 'exited' })).toBe('gone')
    await yard.swept(order.run)
    expect(isAlive(daemon)).toBe(false)
    expect(yard.told.map(({ kind }) => kind)).toEqual(['swept'])
  })

  test('what may be a stranger by now is neither signalled nor let go, and the run waits for it', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', fixture('leaves-child.sh'), 'env -i'])
    const { hub, record } = await startHub(libc, order, 'go-and-stop')
    const server = Number((await yard.said(order.run, /server (\d+)/))[1])
    await waitFor(() => expect(findMarked(order.marker)).not.toContain(server)) // not before its program has begun
    await waitFor(() => expect(isAlive(record.pid ?? 0)).toBe(false))
    await kill(hub)
    expect(yard.adopt(record)).toBe('gone')
    const survivors = await waitFor(
      () => yard.told.find(({ kind }) => kind === 'survivors') ?? Promise.reject(new Error('none told')),
    )
    expect(survivors).toMatchObject({ run: order.run, pids: [server] })
    expect(yard.told.some(({ kind }) => kind === 'swept')).toBe(false)
    expect([isAlive(server), yard.signals.filter(({ answer }) => answer === 'delivered')]).toEqual([true, []])
    process.kill(server, 'SIGKILL')
  })

  test('a stop that was under way goes on at its rung', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', fixture('ignores-term.sh')], { graceMs: 100 })
    const { hub, record } = await startHub(libc, order)
    await yard.said(order.run, /up/)
    await kill(hub)
    expect(yard.adopt({ ...record, stopping: termOnRecord })).toBe('same')
    expect(await yard.exited(order.run)).toMatchObject({ delivered: true, record: null })
    expect(yard.told.filter(({ kind }) => kind === 'rung').map(({ text }) => text?.slice(0, 4))).toEqual(['KILL'])
  })

  test.each([
    ['ladder.term', 'its TERM was sent, but not what came of it', 1],
    ['rung.committed', 'its TERM is on record, but was not sent', 0],
  ])('a hub that dies at %s, when %s, is followed by none that sends a second one', async (crashAt, _what, terms) => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', fixture('counts-term.sh')], { graceMs: 400 })
    const { hub, record } = await startHub(libc, order, 'go-and-end', { crashAt })
    await once(hub, 'exit')
    if (terms > 0) await yard.said(order.run, /term 1/)
    expect(yard.adopt({ ...record, stopping: { ...termOnRecord, reached: false } })).toBe('same')
    expect(await yard.exited(order.run)).toMatchObject({ delivered: true, record: null })
    expect(yard.log(order.run).match(/term \d/g) ?? []).toHaveLength(terms)
    expect(yard.signals.map(({ signal, source, reason }) => `${signal} ${source} ${reason}`)[0]).toBe(
      'SIGKILL person stop by anna; it was under way before the restart',
    )
  })

  test.each([
    [0, false, 'had finished: what is done is not done again'],
    [5, true, 'was asked'],
  ])(
    'an end with code %s, where nobody knows whether TERM came in time, is that of a run that %#',
    async (code, delivered) => {
      const yard = await openSupervised({ libc })
      const order = yard.order(['/bin/sh', fixture('counts-term.sh'), String(code)])
      const { hub, record } = await startHub(libc, order)
      await yard.said(order.run, /up/)
      await kill(hub)
      expect(yard.adopt({ ...record, stopping: { ...termOnRecord, reached: false } })).toBe('same')
      writeFileSync(join(yard.home, 'leave'), '')
      expect(await yard.exited(order.run)).toMatchObject({ record: { kind: 'code', code }, delivered })
    },
  )

  test('the time that a run took before the restart counts to its limit', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sleep', '300'], { timeoutMs: 60_000 })
    const { hub, record } = await startHub(libc, order)
    await kill(hub)
    const [boot, ms] = (record.startedMonotonic ?? '').split(' ')
    yard.adopt({ ...record, startedMonotonic: `${boot} ${Number(ms) - 59_900}` })
    await waitFor(() => expect(yard.told.at(-1)).toMatchObject({ kind: 'overdue', text: 'timeout: longer than 1m' }))
  })

  test('workers whose hub was asked to take them along die with it', async () => {
    const yard = await openSupervised({ libc })
    const order = yard.order(['/bin/sh', '-c', 'echo up; exec sleep 300'])
    const { hub, record } = await startHub(libc, order, 'go', { orphans: 'die' })
    await yard.said(order.run, /up/)
    await kill(hub)
    await waitFor(() => expect(findMarked(order.marker)).toEqual([]))
    expect(yard.adopt(record)).toBe('gone')
    expect(await yard.exited(order.run)).toMatchObject({ wait: null, record: null })
  })
})

test('C21: a run of another boot is over, and whoever has its number now hears nothing', async () => {
  const yard = await openSupervised()
  const stranger = yard.run(['/bin/sleep', '300'])
  const { record } = recordOf(yard.order(['/bin/true']), stranger, { bootId: '00000000-0000-4000-8000-000000000000' })
  expect(yard.adopt(record)).toBe('gone')
  expect(await yard.exited(record.run)).toMatchObject({ otherBoot: true, wait: null, record: null })
  await yard.swept(record.run)
  expect([yard.signals, isAlive(stranger.pid)]).toEqual([[], true])
})

test('C23: a number that belongs to another program by now is no run of ours, and hears nothing', async () => {
  const yard = await openSupervised()
  const stranger = yard.run(['/bin/sleep', '300'])
  const order = yard.order(['/bin/true'])
  const { record, fingerprint } = recordOf(order, stranger)
  const older = formatFingerprint({ ...fingerprint, startTicks: fingerprint.startTicks - 5 })
  expect(yard.adopt({ ...record, fingerprint: older })).toBe('gone')
  await yard.swept(record.run)
  expect([yard.signals, isAlive(stranger.pid)]).toEqual([[], true])
})

/** The same number and another PID 1: whoever lives in ours now may be of it. */
const apart = { initStartTicks: 987_654_321, endsWithUs: false }

test.each([
  ['of another pid namespace', apart],
  ['that was never verified', undefined],
])('a run %s is held: neither told, nor signalled, nor let go', async (_what, host) => {
  const yard = await openSupervised()
  const stranger = yard.run(['/bin/sleep', '300'])
  const { record } = recordOf(yard.order(['/bin/true']), stranger, host)
  expect(yard.adopt(host === undefined ? { ...record, fingerprint: unverified } : record)).toBe('cannot_tell')
  yard.supervisor.end(record.run, { source: 'person', reason: 'cancel', atOnce: true })
  expect([yard.signals, yard.told, isAlive(stranger.pid)]).toEqual([[], [], true])
})

test.each([
  ['of another pid namespace', apart],
  ['that was never verified', undefined],
])(
  'how the worker of a run %s ended is told once from its record; whoever it may have left is waited for',
  async (_what, host) => {
    const yard = await openSupervised()
    const stranger = yard.run(['/bin/sleep', '300'])
    const order = yard.order(['/bin/true'])
    const { record } = recordOf(order, stranger, host)
    writeFileSync(join(order.runDir, 'exit'), '3\n'.padEnd(16))
    expect(yard.adopt(host === undefined ? { ...record, fingerprint: unverified } : record)).toBe('cannot_tell')
    const end = { kind: 'code', code: 3 }
    expect(await yard.exited(record.run)).toMatchObject({ wait: null, record: end, delivered: false, adopted: true })
    expect(yard.supervisor.standing(record.run)).toBe('ended_apart')
    expect(yard.told.map(({ kind }) => kind)).toEqual(['exited'])
    expect([yard.signals, isAlive(stranger.pid)]).toEqual([[], true])
  },
)

const unshare = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=KILL']
const seesAll =
  readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]' &&
  spawnSync('unshare', [...unshare.slice(1), 'true']).status === 0

test.skipIf(!seesAll)('a run of another pid namespace is over when that is, where one can see into it', async () => {
  const yard = await openSupervised()
  const outer = startProgram([...unshare, 'sh', '-c', 'readlink /proc/self/ns/pid; exec sleep 300'], '')
  const namespace = /\d+/.exec(await readFirstLine(outer))?.[0]
  const { record } = recordOf(yard.order(['/bin/true']), yard.run(['/bin/sleep', '300']), { ...apart, namespace })
  expect(yard.adopt(record)).toBe('cannot_tell')
  outer.kill('SIGKILL')
  await waitFor(() => expect(yard.supervisor.standing(record.run)).not.toBe('held'))
  expect(await yard.exited(record.run)).toMatchObject({ wait: null, record: null, otherBoot: false })
  await yard.swept(record.run)
  expect(yard.told.map(({ kind, text }) => text ?? kind)).toEqual(['gone', 'exited', 'swept'])
  expect(yard.signals).toEqual([])
})

test('a live run in a copy of its home is held there: it goes on for the home that started it', async () => {
  const yard = await openSupervised()
  const order = yard.order(['/bin/sh', '-c', 'echo up; exec sleep 300'])
  const { hub, record } = await startHub('use', order)
  await yard.said(order.run, /up/)
  await kill(hub)
  const copy = mkdtempSync(join(tmpdir(), 'yard-copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  cpSync(yard.home, copy, { recursive: true })
  expect(yard.adopt({ ...record, runDir: composeRunDirectory(copy, order.run) })).toBe('cannot_tell')
  yard.supervisor.end(order.run, { source: 'person', reason: 'stop', atOnce: true })
  expect([yard.signals, isAlive(record.pid ?? 0)]).toEqual([[], true])
  yard.supervisor.letGo(order.run)
  expect(yard.adopt(record)).toBe('same')
})

test.each([
  ['moved within its directory', (exit: string) => renameSync(exit, `${exit}.moved`)],
  ['moved to where it works', (exit: string) => renameSync(exit, `${homeOf(exit)}/moved`)],
  [
    'moved with its directory, and another made in its place',
    (exit: string) => {
      renameSync(dirname(exit), `${homeOf(exit)}/moved`)
      mkdirSync(dirname(exit))
    },
  ],
  [
    'moved with its directory, and a link put in its place',
    (exit: string) => {
      renameSync(dirname(exit), `${homeOf(exit)}/moved`)
      symlinkSync('/etc', dirname(exit))
    },
  ],
  ['removed', (exit: string) => rmSync(exit)],
  [
    'replaced by a new file',
    (exit: string) => {
      cpSync(exit, `${exit}.new`)
      renameSync(`${exit}.new`, exit)
    },
  ],
])('a live run whose record was %s by its worker is still ours', async (_what, spoil) => {
  const yard = await openSupervised()
  const order = yard.order(['/bin/sh', '-c', 'echo up; exec sleep 300'])
  const { hub, record } = await startHub('use', order)
  await yard.said(order.run, /up/)
  await kill(hub)
  spoil(join(order.runDir, 'exit'))
  expect(yard.adopt(record)).toBe('same')
})

/** HOME/runs/SHARD/RUN/exit */
const homeOf = (exit: string): string => join(exit, '../../../..')

test('a stop of a run of which nothing could be told is carried out as soon as it can be', async () => {
  const clock = { ...systemClock, every: (ms, ...rest) => systemClock.every(Math.min(ms, 50), ...rest) } satisfies Clock
  const yard = await openSupervised({ clock })
  const order = yard.order(['/bin/sh', '-c', 'echo up; exec sleep 300'])
  const { hub, record } = await startHub('use', order)
  await yard.said(order.run, /up/)
  await kill(hub)
  let canRead = false
  const seen = {
    ...record,
    get fingerprint() {
      return canRead ? record.fingerprint : unverified
    },
  }
  expect(yard.adopt(seen)).toBe('cannot_tell')
  yard.supervisor.end(order.run, { source: 'person', reason: 'stop', atOnce: false })
  expect(yard.signals).toEqual([])
  canRead = true
  await waitFor(() => expect(yard.told[0]).toMatchObject({ kind: 'found', run: order.run, text: 'same' }))
  expect(await yard.exited(order.run)).toMatchObject({ record: { kind: 'signal', signal: 'SIGTERM' }, delivered: true })
})

test('a run of which nothing can be told is looked at once each time, for as long as that lasts', async () => {
  const clock = { ...systemClock, every: (ms, ...rest) => systemClock.every(Math.min(ms, 50), ...rest) } satisfies Clock
  const yard = await openSupervised({ clock })
  const { record } = recordOf(yard.order(['/bin/true']), yard.run(['/bin/sleep', '300']))
  let looks = 0
  const seen = {
    ...record,
    get fingerprint() {
      looks += 1
      if (looks > 1_000) throw new Error('it is looked at without an end')
      return unverified
    },
  }
  expect(yard.adopt(seen)).toBe('cannot_tell')
  const first = looks
  await waitFor(() => expect(looks).toBeGreaterThanOrEqual(3 * first))
})

test('who asks how it stands with one held run has that one looked at, and none of the others', async () => {
  const yard = await openSupervised()
  const looks: number[] = []
  const held = [0, 1].map((at) => {
    const { record } = recordOf(yard.order(['/bin/true']), yard.run(['/bin/sleep', '300']))
    return {
      ...record,
      get fingerprint() {
        looks.push(at)
        return unverified
      },
    }
  })
  for (const record of held) yard.adopt(record)
  looks.length = 0
  expect(yard.supervisor.standing(held[1]?.run ?? runId(0))).toBe('held')
  expect(new Set(looks)).toEqual(new Set([1]))
})

const termOnRecord = { source: 'person', reason: 'stop by anna', rung: 'TERM', reached: true } as const

interface Hub {
  readonly hub: ChildProcess
  readonly record: RunRecord
}

async function startHub(
  libc: Way,
  order: LaunchOrder,
  act: 'go' | 'go-and-stop' | 'go-and-end' | 'wait' = 'go',
  { orphans = 'live', crashAt = '' }: { readonly orphans?: 'live' | 'die'; readonly crashAt?: string } = {},
): Promise<Hub> {
  const program = await bundleFixture('hub.ts')
  const hub = startProgram([process.execPath, program], JSON.stringify({ libc, orphans, order, act, crashAt }))
  const launched = JSON.parse(await readFirstLine(hub))
  expect(launched).toMatchObject({ ok: true })
  const { run, fence, runDir, marker, limits } = order
  return {
    hub,
    record: { run, fence, runDir, marker, limits, phase: 'started', stopping: null, ...launched.identity },
  }
}

async function kill(hub: ChildProcess): Promise<void> {
  hub.kill('SIGKILL')
  await once(hub, 'exit')
}

/** A record whose number is that of a run which is somebody else's. */
function recordOf(order: LaunchOrder, stranger: { pid: number; fingerprint: string }, host: object = {}) {
  const captured = parseFingerprint(stranger.fingerprint)
  if (captured === undefined) throw new Error('not captured')
  const fingerprint = { ...captured, host: { ...captured.host, ...host } }
  const { run, fence, runDir, marker, limits } = order
  const record: RunRecord = {
    run,
    fence,
    runDir,
    marker,
    limits,
    phase: 'started',
    pid: stranger.pid,
    fingerprint: formatFingerprint(fingerprint),
    startedMonotonic: `${captured.host.bootId} 0`,
    stopping: null,
  }
  return { record, fingerprint }
}
