import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  captureFingerprint,
  compareFingerprint,
  type Fingerprint,
  formatFingerprint,
  type HostIdentity,
  isOfOtherBoot,
  parseFingerprint,
  readHostIdentity,
  readProcessTable,
  readStat,
  unverified,
} from '../../../src/kernel/process/index.ts'
import { parseStat } from '../../../src/kernel/process/proc-stat.ts'
import { waitFor } from '../../wait-for.ts'

const here = readHostIdentity()

function capture(pid = process.pid): Fingerprint {
  const fingerprint = captureFingerprint(here, pid)
  if (fingerprint === undefined) throw new Error(`${pid} was not captured`)
  return fingerprint
}

function startSleep(program = '/bin/sleep') {
  const child = spawn(program, ['60'], { stdio: 'ignore' })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

test('a fingerprint names a process and survives being stored', () => {
  const own = capture()
  expect(own.pid).toBe(process.pid)
  expect(formatFingerprint(own)).toMatch(/^[0-9a-f-]{36}:\d+:(\d+|-):[01]:([0-9a-f]{8}|-)\|\d+:\d+$/)
  expect(parseFingerprint(formatFingerprint(own))).toEqual(own)
  expect(compareFingerprint(here, own)).toBe('same')
})

test.each([unverified, '', 'x', '12|34', `${'a'.repeat(36)}:1:1:1|0:5`])(
  '%j is no fingerprint and fits nobody',
  (text) => {
    expect(parseFingerprint(text)).toBeUndefined()
    expect(compareFingerprint(here, parseFingerprint(text))).toBe('cannot_tell')
  },
)

test('C21: a process with the same number and start time in another boot is not ours', () => {
  const own = capture()
  const earlier = { ...own, host: { ...own.host, bootId: '00000000-0000-4000-8000-000000000000' } }
  expect(compareFingerprint(here, earlier)).toBe('gone')
  expect(isOfOtherBoot(here, earlier)).toBe(true)
  expect(isOfOtherBoot(here, own)).toBe(false)
})

test('of a boot of another machine nothing can be told: it may go on there', () => {
  const here: HostIdentity = { ...capture().host, machine: '0123abcd' }
  const of = (host: Partial<HostIdentity>) => ({ ...capture(), host: { ...here, ...host } })
  const otherBoot = { bootId: '00000000-0000-4000-8000-000000000000' }
  expect(compareFingerprint(here, of({ ...otherBoot, machine: '0123abce' }))).toBe('cannot_tell')
  expect(compareFingerprint(here, of(otherBoot))).toBe('gone')
  expect(compareFingerprint(here, of({ ...otherBoot, machine: null }))).toBe('gone')
  expect(compareFingerprint({ ...here, machine: null }, of(otherBoot))).toBe('gone')
  // One boot is one machine, though a container may show an id of its own.
  expect(compareFingerprint(here, of({ machine: '0123abce' }))).toBe('same')
})

test('a fingerprint that version 0.1 has stored is read as one of no known machine', () => {
  const own = capture()
  const old = formatFingerprint(own).replace(/:[^:]*(?=\|)/, '')
  expect(parseFingerprint(old)).toEqual({ ...own, host: { ...own.host, machine: null } })
  expect(compareFingerprint(here, parseFingerprint(old))).toBe('same')
})

test('another start time is another process', () => {
  const own = capture()
  expect(compareFingerprint(here, { ...own, startTicks: own.startTicks - 1 })).toBe('gone')
})

test.each([
  ['inode', { namespace: '1' }],
  ['PID 1', { initStartTicks: 987_654_321 }],
])('of another pid namespace (other %s) nothing can be told, unless it ended with the hub there', (_what, other) => {
  const own = capture()
  expect(compareFingerprint(here, { ...own, host: { ...own.host, ...other } })).toBe('cannot_tell')
  expect(compareFingerprint(here, { ...own, host: { ...own.host, ...other, endsWithUs: true } })).toBe('gone')
})

test('a PID 1 that may not be read says nothing either way', () => {
  const own = capture()
  expect(compareFingerprint(here, { ...own, host: { ...own.host, initStartTicks: null } })).toBe('same')
})

test('a dead process is gone, also as a zombie that nobody has collected', async () => {
  const child = startSleep()
  const fingerprint = capture(child.pid)
  child.kill('SIGKILL')
  // Node collects it only in a later turn of the loop: until then it is a zombie.
  const seen = new Set<string>()
  for (let look = 0; look < 1_000_000 && !seen.has('Z'); look += 1) {
    const stat = readStat(fingerprint.pid)
    if (typeof stat !== 'string') seen.add(stat.state)
  }
  expect(seen).toContain('Z')
  expect(compareFingerprint(here, fingerprint)).toBe('gone')
  expect(captureFingerprint(here, fingerprint.pid)).toEqual(fingerprint)
  expect(readProcessTable()?.has(fingerprint.pid)).toBe(false)
  await once(child, 'exit')
  expect(compareFingerprint(here, fingerprint)).toBe('gone')
})

test('a program whose first thread has ended lives on in the others', async () => {
  const text =
    'import ctypes,threading,time; threading.Thread(target=time.sleep,args=(60,)).start(); print(1,flush=True); ctypes.CDLL(None).pthread_exit(None)'
  const child = spawn('python3', ['-c', text], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  const fingerprint = capture(child.pid)
  await waitFor(() => expect(readStat(fingerprint.pid)).toMatchObject({ state: 'Z' }))
  expect(compareFingerprint(here, fingerprint)).toBe('same')
  expect(readProcessTable()?.has(fingerprint.pid)).toBe(true)
})

test.each(['x) S 1 (y', ') R 2', '((', 'a b', 'Z'])('a program named %j is read right', async (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'yard-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  copyFileSync('/bin/sleep', join(folder, name))
  const child = startSleep(join(folder, name))
  await once(child, 'spawn')
  expect(readStat(child.pid ?? 0)).toMatchObject({ parent: process.pid, sid: capture().pid && expect.any(Number) })
  expect(capture(child.pid).startTicks).toBeGreaterThanOrEqual(capture().startTicks)
  expect(compareFingerprint(here, capture(child.pid))).toBe('same')
})

test.each(['', 'nonsense', '12 (x', '12 (x) S 1 2', '(x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19'])(
  '%j is no stat line',
  (text) => {
    expect(parseStat(text)).toBeUndefined()
  },
)
