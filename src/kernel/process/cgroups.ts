import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * A control group (cgroup v2) for each run, where the system lets us have them: whoever leaves group, environment and
 * parents behind is still in it, one write ends all of it, and the kernel counts its memory. Everything works without.
 *
 * Ours are made below the group that this program runs in, in a folder `yardmaster`. A unit that starts the hub in a group
 * of its own name (`DelegateSubgroup=yardmaster-hub`) gets them beside it: controllers can only be handed down by a group
 * that holds no process itself.
 */
export interface CgroupBase {
  /** Absolute folder in which groups of runs are made. */
  readonly folder: string
  /** Those of which the groups of runs have limits. */
  readonly controllers: readonly Controller[]
}

type Controller = 'memory' | 'pids'

export type FoundCgroups =
  | { readonly ok: true; readonly base: CgroupBase }
  | { readonly ok: false; readonly why: string }

const ourFolder = 'yardmaster'
/** Name of the hub's own group in units of ours (ops/systemd). */
const hubGroup = 'yardmaster-hub'
/** A group that a hub has just made is empty until its shim has entered it. */
const emptyForMs = 60_000

/** What the program `of`, of this user, may have. Found out by trying, at each start: mounts may be read-only, and not every kernel has `cgroup.kill` (5.14). */
export function findCgroups({ of }: { readonly of: number | 'self' } = { of: 'self' }): FoundCgroups {
  const own = readCgroupOf(of)
  if (own === undefined) return { ok: false, why: 'cgroup v2 is not mounted here' }
  // Only the root of the whole hierarchy has no such file: it is the system's, and nobody has delegated it.
  if (!existsSync(join(own, 'cgroup.events'))) {
    return {
      ok: false,
      why: 'this program runs in the root group of the machine, of which nothing was delegated to it',
    }
  }
  const parent = basename(own) === hubGroup ? dirname(own) : own
  const folder = join(parent, ourFolder)
  try {
    accessSync(join(parent, 'cgroup.procs'), constants.W_OK)
    makeGroup(folder)
    const trial = join(folder, `trial-${process.pid}`)
    makeGroup(trial)
    const canKill = existsSync(join(trial, 'cgroup.kill'))
    rmdirSync(trial)
    if (!canKill) return { ok: false, why: 'this kernel is older than 5.14 and has no cgroup.kill' }
  } catch (fault) {
    return { ok: false, why: `no groups can be made below ${parent} (${(fault as NodeJS.ErrnoException).code})` }
  }
  return { ok: true, base: { folder, controllers: enableControllers({ own, parent, folder }) } }
}

/** The group of this process as a folder; undefined where cgroup v2 is not mounted. */
export function readOwnCgroup(): string | undefined {
  return readCgroupOf('self')
}

/** The group of a process as a folder, if it is called `named`; undefined also where the process is gone. */
export function readCgroupOf(pid: number | 'self', { named }: { readonly named?: string } = {}): string | undefined {
  try {
    const path = /^0::(\/.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1]
    if (path === undefined || (named !== undefined && basename(path) !== named)) return undefined
    return findFolder(path)
  } catch {
    return undefined
  }
}

export interface RunCgroupLimits {
  /** As the kernel counts memory: pages of files that are cached for the run are in it, and given back before anybody is killed. */
  readonly memoryBytes: number | null
}

/** Makes the group of a run; undefined where that does not work, so that the run goes on without one. */
export function makeRunCgroup(base: CgroupBase, name: string, { memoryBytes }: RunCgroupLimits): string | undefined {
  const folder = join(base.folder, name)
  try {
    makeGroup(folder)
  } catch {
    return undefined
  }
  if (base.controllers.includes('pids')) set(folder, 'pids.max', String(mostProcesses(base.folder)))
  if (base.controllers.includes('memory') && memoryBytes !== null) set(folder, 'memory.max', String(memoryBytes))
  return folder
}

/** The processes of a group and of all groups below it; none where it is gone. */
export function readCgroupMembers(folder: string): readonly number[] {
  const own = readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number)
  return [...own, ...readSubgroups(folder).flatMap((name) => readCgroupMembers(join(folder, name)))]
}

/** Whether any living process is in it or below it. */
export function isCgroupPopulated(folder: string): boolean {
  return /^populated 1$/m.test(readText(join(folder, 'cgroup.events')))
}

/** How many of its processes the kernel has killed for memory; null where it does not count that. */
export function readOomKills(folder: string): number | null {
  return readCounter(join(folder, 'memory.events'), 'oom_kill')
}

/** CPU time of all that were ever in it; null where nobody was, or it is gone. */
export function readCgroupCpuSeconds(folder: string): number | null {
  const usec = readCounter(join(folder, 'cpu.stat'), 'usage_usec')
  return usec === null || usec === 0 ? null : usec / 1e6
}

/** Removes a group and those below it; false while a process is in it. */
export function removeCgroup(folder: string): boolean {
  for (const name of readSubgroups(folder)) removeCgroup(join(folder, name))
  try {
    rmdirSync(folder)
    return true
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** Removes what hubs that were killed have left: groups in which nobody has been for a minute, whosever run they were. */
export function removeEmptyCgroups({ folder }: CgroupBase, { nowMs }: { readonly nowMs: number }): void {
  for (const name of readSubgroups(folder)) {
    const group = join(folder, name)
    const madeMs = statSync(group, { throwIfNoEntry: false })?.ctimeMs ?? nowMs
    if (nowMs - madeMs > emptyForMs && !isCgroupPopulated(group)) removeCgroup(group)
  }
}

/** mountinfo, proc_pid_mountinfo(5): … root mountpoint options … - type source options. */
function findFolder(path: string): string | undefined {
  for (const line of readText('/proc/self/mountinfo').split('\n')) {
    const [where = '', what = ''] = line.split(' - ')
    if (!what.startsWith('cgroup2 ')) continue
    const [, , , root = '/', mountpoint = ''] = where.split(' ')
    const below = root === '/' ? path : path === root ? '/' : path.startsWith(`${root}/`) ? path.slice(root.length) : ''
    if (below !== '') return join(unescapeMount(mountpoint), below)
  }
  return undefined
}

/** Blanks and the like are octal in mountinfo. */
function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)))
}

function makeGroup(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault
  }
}

/** Hands down what may be handed down. A group that holds processes cannot, and no process is moved out of anybody's way. */
function enableControllers({
  own,
  parent,
  folder,
}: {
  readonly own: string
  readonly parent: string
  readonly folder: string
}): Controller[] {
  const wanted = ['memory', 'pids'] as const
  for (const name of wanted) {
    if (parent !== own) set(parent, 'cgroup.subtree_control', `+${name}`)
    set(folder, 'cgroup.subtree_control', `+${name}`)
  }
  const enabled = readText(join(folder, 'cgroup.subtree_control')).trim().split(' ')
  return wanted.filter((name) => enabled.includes(name))
}

/** A run may fill half of what there is room for, so that a fork bomb leaves the hub and other runs a place. */
function mostProcesses(folder: string): number {
  const files = ['/proc/sys/kernel/pid_max', '/proc/sys/kernel/threads-max']
  for (let above = folder; existsSync(join(above, 'pids.max')); above = dirname(above)) {
    files.push(join(above, 'pids.max'))
  }
  // `max`, and a file that cannot be read, are no numbers and set no limit.
  const most = files.map((file) => Number.parseInt(readText(file), 10)).filter((value) => value > 0)
  return Math.max(1, Math.floor(Math.min(...most) / 2))
}

function set(folder: string, file: string, value: string): void {
  try {
    writeFileSync(join(folder, file), value)
  } catch {
    // Not ours to set here: what is in force is read back where it matters.
  }
}

/** A folder of this file system has two links and one more for each group in it. */
function readSubgroups(folder: string): readonly string[] {
  if ((statSync(folder, { throwIfNoEntry: false })?.nlink ?? 0) <= 2) return []
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  } catch {
    return [] // gone meanwhile
  }
}

function readCounter(file: string, name: string): number | null {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(readText(file))?.[1]
  return found === undefined ? null : Number(found)
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // no such file here, or its group is gone
  }
}
