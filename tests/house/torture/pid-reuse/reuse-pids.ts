import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  captureFingerprint,
  formatFingerprint,
  parseFingerprint,
  readHostIdentity,
} from '../../../../src/kernel/process/index.ts'
import { countOne } from '../ledger.ts'
import { type OldRecord, workOnOldRecords } from './work-on-old-records.ts'

/** What one part found, as it is printed by the program inside. */
export interface Reused {
  readonly reuses: number
  readonly signalled: number
  readonly control: number
  readonly answers: Readonly<Record<string, number>>
  /** Fingerprints of processes that are gone. */
  readonly stored: readonly string[]
}

interface Part {
  readonly folder: string
  readonly reuses: number
  readonly keep: number
  readonly stored: readonly string[]
}

const batchSize = 50
/** Start times have a grain of 10 ms: within one the kernel itself tells two processes of one number not apart. */
const grainMs = 12

/** What the control sent is written down by then, also on a busy machine. */
const longestControlMs = 2_000

/** Plays one part and prints what it found. Only inside of a pid namespace of its own. */
export async function playPart(partFile: string): Promise<void> {
  const { folder, reuses, keep, stored } = JSON.parse(readFileSync(partFile, 'utf8')) as Part
  const answers: Record<string, number> = {}
  const left = [...stored]
  const found = { reuses: 0, signalled: 0, control: 0 }
  for (let batch = 0; found.reuses < reuses; batch += 1) {
    const wanted = Math.min(batchSize, reuses - found.reuses)
    const records = stored.length > 0 ? left.splice(0, wanted) : await makeRecords(wanted)
    if (records.length === 0) break
    const at = join(folder, `strangers-${batch}`)
    const part = await meetStrangers({ folder, at, batch, records })
    found.reuses += part.reuses
    found.signalled += part.signalled
    found.control += part.control
    for (const answer of part.answers) countOne(answers, answer)
    rmSync(at, { recursive: true })
  }
  const kept: string[] = []
  while (kept.length < keep) kept.push(...(await makeRecords(Math.min(batchSize, keep - kept.length))))
  process.stdout.write(JSON.stringify({ ...found, answers, stored: kept }))
}

/** Processes that were ours, with what was noted of them, and that are gone and collected by now. */
async function makeRecords(count: number): Promise<readonly string[]> {
  const host = readHostIdentity()
  const children = Array.from({ length: count }, () => spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }))
  const records = children.flatMap(({ pid }) => {
    const fingerprint = pid === undefined ? undefined : captureFingerprint(host, pid)
    return fingerprint === undefined ? [] : [formatFingerprint(fingerprint)]
  })
  await Promise.all(children.map(end))
  await wait(grainMs)
  return records
}

/** Puts strangers on the numbers of the records, lets the product work on them, and then whoever knows only numbers. */
async function meetStrangers({
  folder,
  at,
  batch,
  records,
}: {
  readonly folder: string
  readonly at: string
  readonly batch: number
  readonly records: readonly string[]
}) {
  mkdirSync(at)
  const met = records.flatMap((text): readonly (OldRecord & { stranger: ChildProcess; file: string })[] => {
    const fingerprint = parseFingerprint(text)
    if (fingerprint === undefined) return []
    const file = join(at, String(fingerprint.pid))
    const stranger = sitOn({ folder, file, pid: fingerprint.pid })
    return stranger === undefined ? [] : [{ fingerprint, text, stranger, file }]
  })
  for (const { file } of met) while (!read(file).startsWith('up')) await wait(1)
  const answers = await workOnOldRecords(met, { folder: at, libc: batch % 2 === 0 ? 'use' : 'avoid' })
  const signalled = met.filter(({ stranger, file }) => hasHeard(stranger, file)).length
  for (const { fingerprint } of met) process.kill(fingerprint.pid, 'SIGUSR1') // the control: right number, wrong process
  const heardNow = () => met.filter(({ stranger, file }) => hasHeard(stranger, file)).length
  for (let waitedMs = 0; heardNow() < met.length && waitedMs < longestControlMs; waitedMs += 5) await wait(5)
  const control = heardNow() - signalled
  await Promise.all(met.map(({ stranger }) => end(stranger)))
  return { reuses: met.length, signalled, control, answers }
}

/** A stranger on this very number, or undefined where somebody else was faster. */
function sitOn({ folder, file, pid }: { readonly folder: string; readonly file: string; readonly pid: number }) {
  writeFileSync('/proc/sys/kernel/ns_last_pid', String(pid - 1))
  const stranger = spawn('/bin/sh', ['stranger.sh', file], {
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  if (stranger.pid === pid) return stranger
  stranger.kill('SIGKILL')
  return undefined
}

const hasHeard = (stranger: ChildProcess, file: string): boolean =>
  stranger.exitCode !== null || stranger.signalCode !== null || read(file).trim().includes('\n')

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has not come to writing yet
  }
}
