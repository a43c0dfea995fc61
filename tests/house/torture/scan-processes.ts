import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process of a yard, as an outsider sees it: this reads /proc by itself and asks nothing of the product. */
export interface SeenProcess {
  readonly pid: number
  readonly parent: number
  readonly state: string
  /** With the pid it names a process. */
  readonly startTicks: number
  readonly role: 'hub' | 'shim' | 'worker' | 'descendant'
  /** `R12`, from its environment. */
  readonly run: string | null
}

/** Every live process that belongs to the yard in `folder`: by its environment, or because it stands in the folder. Zombies are left out. */
export function scanYard(folder: string): readonly SeenProcess[] {
  const found = readAll().flatMap((raw) => {
    const { pid, state } = raw
    if (state === 'Z' || state === 'X') return []
    const environment = read(`/proc/${pid}/environ`)
    const isMarked = environment.includes(`TORTURE_YARD=${folder}\0`)
    if (!isMarked && !environment.includes(`YARDMASTER_HOME=${folder}`) && !standsIn(folder, pid)) return []
    const command = read(`/proc/${pid}/cmdline`).split('\0')
    if (isOfSuite(command)) return []
    const run = /(?:^|\0)YARDMASTER_RUN=(R\d+)/.exec(environment)?.[1] ?? null
    return [{ ...raw, command, run, isMarked }]
  })
  const shims = new Set(found.filter((one) => isShim(one)).map(({ pid }) => pid))
  return found.map(({ command, isMarked, ...seen }) => ({
    ...seen,
    role: shims.has(seen.pid)
      ? 'shim'
      : shims.has(seen.parent)
        ? 'worker'
        : isHub(command) && !isMarked
          ? 'hub'
          : 'descendant',
  }))
}

/** Whether the very same process is still there and has not ended. */
export function isAlive({ pid, startTicks }: Pick<SeenProcess, 'pid' | 'startTicks'>): boolean {
  const now = readStat(pid)
  return now !== undefined && now.startTicks === startTicks && now.state !== 'Z' && now.state !== 'X'
}

/** Children of a process that have ended and were not waited for. */
export function countDefunct(parent: number): number {
  return readAll().filter((stat) => stat.parent === parent && stat.state === 'Z').length
}

/** The children of a process. */
export function childrenOf(parent: number): readonly number[] {
  return readAll()
    .filter((stat) => stat.parent === parent)
    .map(({ pid }) => pid)
}

/** Seconds since boot: the clock that workers write down. */
export const uptimeSeconds = (): number => Number.parseFloat(read('/proc/uptime'))

type Stat = Pick<SeenProcess, 'pid' | 'parent' | 'state' | 'startTicks'>
type RawProcess = Stat & { readonly sid: number }

function readAll(): readonly RawProcess[] {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []))
}

export function readStat(pid: number): RawProcess | undefined {
  const text = read(`/proc/${pid}/stat`)
  if (text === '') return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return {
    pid,
    state: fields[0] ?? '?',
    parent: Number(fields[1]),
    sid: Number(fields[3]),
    startTicks: Number(fields[19]),
  }
}

/** Leader of its own session, with our text for a shell. In a namespace its numbers are others, so only this is asked. */
function isShim({ command, pid, sid }: { command: readonly string[]; pid: number; sid: number }): boolean {
  return pid === sid && command[1] === '-c' && (command[2] ?? '').includes('go') && (command[2] ?? '').includes('>&4')
}

/** Strangers, and what enters and holds a namespace: ours, and no part of the yard. */
const isOfSuite = (command: readonly string[]): boolean =>
  command.some((word) => word.includes('stranger.sh')) || ['nsenter', 'unshare', 'strace'].includes(command[0] ?? '')

const isHub = (command: readonly string[]): boolean =>
  command.some((word) => word.endsWith('bin.cjs')) && (command.includes('up') || command.includes('run'))

function standsIn(folder: string, pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
  } catch {
    return false // gone meanwhile
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // gone meanwhile, or not ours to read
  }
}
