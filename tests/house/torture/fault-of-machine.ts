import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { UnderFire } from './carry-out.ts'
import type { Fault } from './faults.ts'
import type { Ledger } from './ledger.ts'
import { uptimeSeconds } from './scan-processes.ts'

/** Fills the small disk to its last byte, and frees it again. */
export async function fillDisk({ yard, ledger }: UnderFire, { forMs }: Extract<Fault, { kind: 'fill_disk' }>) {
  return during(ledger, async () => {
    const file = join(yard.disk, 'filler')
    const descriptor = openSync(file, 'w')
    try {
      for (let size = 2 ** 20; size >= 512; ) {
        if (!writes(descriptor, Buffer.alloc(size))) size /= 2
      }
      await wait(forMs)
    } finally {
      closeSync(descriptor)
      rmSync(file)
    }
    return true
  })
}

function writes(descriptor: number, bytes: Buffer): boolean {
  try {
    return writeSync(descriptor, bytes) === bytes.length
  } catch {
    return false // full
  }
}

/** Lets system calls of the hub's main thread, which is the one that writes the store, answer EIO. */
export async function injectErrors(
  { lives, ledger }: UnderFire,
  { calls, oneIn, forMs }: Extract<Fault, { kind: 'io_error' }>,
) {
  const pid = lives.pid()
  if (pid === undefined) return false
  return during(ledger, async () => {
    const inject = `inject=${calls}:error=EIO:when=1+${oneIn}`
    const tracer = spawn('strace', ['-qq', '-o', '/dev/null', '-p', String(pid), '-e', `trace=${calls}`, '-e', inject])
    const ended = once(tracer, 'exit')
    await Promise.race([wait(forMs), ended])
    tracer.kill('SIGTERM')
    await ended
    return true
  })
}

/** Leaves the hub no descriptor but those it has. */
export async function limitFiles({ lives, ledger }: UnderFire, { forMs }: Extract<Fault, { kind: 'few_files' }>) {
  const pid = lives.pid()
  if (pid === undefined || !existsSync(`/proc/${pid}/fd`)) return false
  const [soft, hard] = readLimit(pid)
  const open = readdirSync(`/proc/${pid}/fd`).length
  return during(ledger, async () => {
    setLimit(pid, `${open}:${hard}`)
    await wait(forMs)
    setLimit(pid, `${soft}:${hard}`)
    return true
  })
}

function readLimit(pid: number): readonly [soft: string, hard: string] {
  const line = readFileSync(`/proc/${pid}/limits`, 'utf8')
    .split('\n')
    .find((text) => text.startsWith('Max open files'))
  const [soft = '1024', hard = '4096'] = (line ?? '').slice('Max open files'.length).trim().split(/\s+/)
  return [soft, hard]
}

const setLimit = (pid: number, limit: string) => spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}`])

async function during(ledger: Ledger, act: () => Promise<boolean>): Promise<boolean> {
  const shortage = { fromS: uptimeSeconds(), toS: Number.POSITIVE_INFINITY }
  ledger.shortages.push(shortage)
  try {
    return await act()
  } finally {
    shortage.toS = uptimeSeconds()
  }
}
