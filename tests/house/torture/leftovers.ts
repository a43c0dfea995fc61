import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connectHttp, readToken } from '../../../src/api/client/index.ts'
import type { Yard } from './lay-out-yard.ts'
import { type SeenProcess, scanYard } from './scan-processes.ts'
import { signalIfThere } from './signal-if-there.ts'

/** What is still there after the last hub has gone, and should not be. */
export interface Leftovers {
  /** Those that may stay (kept ones, and ones that escape every look without a cgroup) are not in it. */
  readonly processes: readonly string[]
  readonly ports: readonly number[]
  readonly files: readonly string[]
}

/** A process that was just killed needs a moment to be gone. */
const looks = 40
const betweenMs = 50

export async function findLeftovers(yard: Yard): Promise<Leftovers> {
  let processes = remaining(yard)
  for (let look = 0; look < looks && processes.length > 0; look += 1) {
    await wait(betweenMs)
    processes = remaining(yard)
  }
  return {
    processes: processes.map(({ pid, role, run }) => `${role} ${pid} of ${run ?? 'nobody'}: ${commandOf(pid)}`),
    ports: await openPorts(yard),
    files: [...readdirSync(yard.temporary), ...readdirSync(yard.folder).filter((name) => !laidOut.includes(name))],
  }
}

/** Ends whatever stands in the folder of a round. */
export function endAll({ folder }: Yard): void {
  for (const { pid } of scanYard(folder)) signalIfThere(pid, 'SIGKILL')
}

function remaining(yard: Yard): readonly SeenProcess[] {
  const allowed = allowedToStay(yard)
  return scanYard(yard.folder).filter(({ parent, startTicks }) => {
    if (allowed.has(startTicks)) return false
    return !isBelow(parent, allowed)
  })
}

/** By start time: `kept` of a task that keeps, and those that left group, session, parents and marker on purpose. */
function allowedToStay({ traces }: Yard): ReadonlySet<number> {
  const lines = readdirSync(traces).flatMap((name) =>
    readFileSync(join(traces, name), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('kept ') || name.endsWith('.escaped')),
  )
  return new Set(lines.map((line) => Number(line.split(' ')[3])))
}

/** The naps of a kept process. */
function isBelow(parent: number, allowed: ReadonlySet<number>): boolean {
  const stat = read(`/proc/${parent}/stat`)
  return allowed.has(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]))
}

/** The port of the yard's hubs, when one still answers there for this home. */
async function openPorts({ home }: Yard): Promise<readonly number[]> {
  const port = Number(read(join(home, 'port')))
  const token = readToken(join(home, 'token'))
  if (!(port > 0) || token === undefined) return []
  const answer = await connectHttp({ port, token, by: 'torture' })
    .health()
    .catch(() => undefined) // nobody is there, or somebody else
  return answer?.home === home ? [port] : []
}

/** Files that a round has laid out itself. */
const laidOut = [
  'boot-id',
  'clock',
  'disk',
  'strangers',
  'stranger.sh',
  'tmp',
  'torture.yaml',
  'traces',
  'worker.sh',
  'yardmaster.yaml',
]

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
