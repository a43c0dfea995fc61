import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { constants, release } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  captureFingerprint,
  describeSignal,
  type Fingerprint,
  loadLibc,
  openPidfd,
  readHostIdentity,
  readProcessTable,
  readStat,
  type SignalDeps,
  sendSignal,
} from '../../../src/kernel/process/index.ts'
import { waitFor } from '../../wait-for.ts'

const host = readHostIdentity()
const cause = { source: 'person', reason: 'because' } as const

test.each(['ENOSYS', 'EPERM', 'EMFILE'] as const)(
  'where the system gives no pidfd (%s), a proven process is still signalled, by its number',
  async (code) => {
    const libc = await loadLibc()
    if (libc === undefined) return // then there is no such call to be refused
    const refusing = { host, libc: { ...libc, openPidfd: () => -constants.errno[code] } }
    const { child, fingerprint } = await start('exec sleep 60')
    expect(send(refusing, fingerprint, 'process', 'SIGTERM')).toMatchObject({
      method: 'verify_signal_verify',
      answer: 'delivered',
    })
    expect((await once(child, 'exit'))[1]).toBe('SIGTERM')
  },
)

describe.each(['pidfd', 'verify_signal_verify'] as const)('by %s', (method) => {
  const open = async (): Promise<SignalDeps> => ({ host, libc: method === 'pidfd' ? await loadLibc() : undefined })

  test('a proven process is signalled, and the record says by whom, why, how and with what answer', async () => {
    const deps = await open()
    const { child, fingerprint } = await start('exec sleep 60')
    const record = send(deps, fingerprint, 'process', 'SIGTERM')
    expect(record).toEqual({
      ...cause,
      pid: child.pid,
      scope: 'process',
      signal: 'SIGTERM',
      method,
      answer: 'delivered',
    })
    expect(describeSignal(record)).toMatch(new RegExp(`^TERM to ${child.pid} by .*: delivered$`))
    expect((await once(child, 'exit'))[1]).toBe('SIGTERM')
  })

  test('a whole group is signalled through its leader', async () => {
    const deps = await open()
    const { child, fingerprint } = await start('sleep 60 & sleep 60 & echo up; wait')
    const pidfd = openPidfd(deps, fingerprint)
    const target = { fingerprint, pidfd }
    expect(sendSignal(deps, { target, scope: 'group', signal: 'SIGKILL', ...cause })).toMatchObject({
      method,
      answer: 'delivered',
    })
    await once(child, 'exit')
    await waitFor(() => expect(membersOf(fingerprint.pid)).toEqual([]))
    expect(send(deps, fingerprint, 'group', 'SIGKILL').answer).toBe('gone')
    if (pidfd !== undefined) closeSync(pidfd)
  })

  test('C23: nobody is signalled whose start time, boot or namespace is another', async () => {
    const deps = await open()
    const { child, fingerprint } = await start('exec sleep 60')
    const others: readonly [Fingerprint, string][] = [
      [{ ...fingerprint, startTicks: fingerprint.startTicks + 1 }, 'gone'],
      [{ ...fingerprint, host: { ...host, bootId: '00000000-0000-4000-8000-000000000000' } }, 'gone'],
      [{ ...fingerprint, host: { ...host, namespace: '1', endsWithUs: false } }, 'cannot_tell'],
    ]
    for (const [other, answer] of others) {
      for (const scope of ['process', 'group'] as const) {
        expect(send(deps, other, scope, 'SIGKILL').answer).toBe(answer)
      }
    }
    expect(readStat(child.pid ?? 0)).toMatchObject({ startTicks: fingerprint.startTicks })
    expect(openPidfd(deps, { ...fingerprint, startTicks: 1 })).toBeUndefined()
  })

  test('C27: it refuses itself, its ancestors and PID 1, alone and as a group', async () => {
    const deps = await open()
    for (const pid of [process.pid, process.ppid, 1]) {
      const fingerprint = captureFingerprint(host, pid)
      if (fingerprint === undefined) throw new Error(`${pid} was not captured`)
      for (const scope of ['process', 'group'] as const) {
        expect(send(deps, fingerprint, scope, 'SIGCONT').answer).toBe('refused')
      }
    }
  })

  test('a group in which we are ourselves is refused, whoever leads it', async () => {
    const deps = await open()
    const own = readStat(process.pid)
    const fingerprint = typeof own === 'string' ? undefined : captureFingerprint(host, own.group)
    if (fingerprint === undefined) return // its leader is gone: there is nothing to ask through
    expect(send(deps, fingerprint, 'group', 'SIGCONT').answer).toBe('refused')
  })
})

test('a pidfd that was opened early still reaches the group when its leader is gone', async () => {
  const libc = await loadLibc()
  const [major = 0, minor = 0] = release().split('.').map(Number)
  expect(libc?.canSignalGroup).toBe(major > 6 || (major === 6 && minor >= 9))
  if (libc?.canSignalGroup !== true) return // an older kernel: there is nothing more to promise
  const { child, fingerprint } = await start('sleep 60 & echo up; wait')
  const pidfd = openPidfd({ host, libc }, fingerprint)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(membersOf(fingerprint.pid)).toHaveLength(1)
  const target = { fingerprint, pidfd }
  expect(sendSignal({ host, libc }, { target, scope: 'group', signal: 'SIGKILL', ...cause }).answer).toBe('delivered')
  await waitFor(() => expect(membersOf(fingerprint.pid)).toEqual([]))
  if (pidfd !== undefined) closeSync(pidfd)
})

function send(
  deps: SignalDeps,
  fingerprint: Fingerprint,
  scope: 'process' | 'group',
  signal: 'SIGTERM' | 'SIGKILL' | 'SIGCONT',
) {
  return sendSignal(deps, { target: { fingerprint, pidfd: undefined }, scope, signal, ...cause })
}

async function start(text: string): Promise<{ child: ChildProcess; fingerprint: Fingerprint }> {
  const child = spawn('/bin/sh', ['-c', text], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await (text.includes('echo') ? once(child.stdout, 'data') : once(child, 'spawn'))
  const fingerprint = captureFingerprint(host, child.pid ?? 0)
  if (fingerprint === undefined) throw new Error('not captured')
  return { child, fingerprint }
}

function membersOf(group: number): readonly number[] {
  return [...(readProcessTable()?.values() ?? [])].filter((stat) => stat.group === group).map(({ pid }) => pid)
}
