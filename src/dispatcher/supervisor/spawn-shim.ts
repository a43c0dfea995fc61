import { execFile, spawn } from 'node:child_process'
import { closeSync, statSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import type { Clock } from '../../kernel/index.ts'
import { type Libc, type OnEnd, openChildReaper } from '../../kernel/process/index.ts'
import { shellPath } from './shim.ts'

/**
 * The one file that starts workers. Two ways behind one interface: posix_spawn through koffi, which costs the same
 * however large the hub is, and Node's own spawn where koffi does not load.
 */
export interface ShimSpawner {
  /** Starts a shim that waits at its gate. `onEnd` is called once, when it has ended. */
  spawn(order: ShimOrder, onEnd: OnEnd): SpawnAnswer
  /** Takes ends that have happened and were not told yet, as far as this way can ask for them. */
  look(): void
  /** Nobody is told any more; the shims live on. */
  close(): void
}

export interface ShimOrder {
  readonly program: string
  /** Its own name first. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Open for appending; stays the caller's to close. */
  readonly logDescriptor: number
  /** Follows the go in the gate. A pipe holds 64 KiB, so that writing it never waits. */
  readonly token: string | null
}

export type SpawnAnswer =
  | { readonly ok: true; readonly pid: number; readonly gate: Gate }
  | { readonly ok: false; readonly code: string; readonly message: string }

/** Each may be called when the other was, or when the shim is gone: the second act changes nothing. */
export interface Gate {
  /** Lets the worker start, and hands the token over. */
  open(): void
  /** Sends the shim away without having started anything. */
  close(): void
}

export function createSpawner({
  clock,
  libc,
}: {
  readonly clock: Clock
  readonly libc: Libc | undefined
}): ShimSpawner {
  return libc === undefined ? createNodeSpawner() : createPosixSpawner({ clock, libc })
}

/** Ends a direct child when its parent is gone (prctl PR_SET_PDEATHSIG); put before a command. */
const deathSignal = ['setpriv', '--pdeathsig', 'KILL', '--'] as const

/**
 * The wrapper that works here, `[]` where none does. Tried and not looked up: there are programs of that name that do
 * not know the option (busybox), and a wrapper that fails would fail every worker.
 */
export async function findDeathSignal(): Promise<readonly string[]> {
  for (const folder of ['/usr/bin', '/bin']) {
    const [name, ...options] = deathSignal
    const wrapper = [`${folder}/${name}`, ...options]
    const works = await new Promise<boolean>((resolve) => {
      execFile(wrapper[0] ?? '', [...wrapper.slice(1), shellPath, '-c', ':'], { env: {} }, (fault) =>
        resolve(fault === null),
      )
    })
    if (works) return wrapper
  }
  return []
}

const formatGo = (token: string | null): string => `go\n${token ?? ''}`

function createPosixSpawner({ clock, libc }: { readonly clock: Clock; readonly libc: Libc }): ShimSpawner {
  const reaper = openChildReaper({ clock, libc })
  return {
    spawn({ program, argv, env, cwd, logDescriptor, token }, onEnd) {
      const spawned = libc.spawn({
        program,
        argv,
        env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
        cwd,
        stdout: logDescriptor,
      })
      if ('errno' in spawned) return describeRefusal(errorName(spawned.errno), cwd)
      reaper.watch(spawned.pid, onEnd)
      return { ok: true, pid: spawned.pid, gate: openGate(spawned.gate, formatGo(token)) }
    },
    look: () => reaper.look(),
    close: () => reaper.close(),
  }
}

function openGate(descriptor: number, go: string): Gate {
  let isOpen = true
  const act = (write: () => void) => {
    if (!isOpen) return
    isOpen = false
    try {
      write()
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EPIPE') throw fault // the shim is gone, and its end will be told
    } finally {
      closeSync(descriptor)
    }
  }
  return { open: () => act(() => writeSync(descriptor, go)), close: () => act(() => {}) }
}

function createNodeSpawner(): ShimSpawner {
  let closed = false
  return {
    spawn({ program, argv, env, cwd, logDescriptor, token }, onEnd) {
      try {
        const child = spawn(program, argv.slice(1), {
          cwd,
          env,
          detached: true,
          stdio: ['ignore', logDescriptor, 'ignore', 'pipe'],
        })
        const socket = child.stdio[3] as Socket | undefined
        child.on('error', () => {}) // what it says is told below, in this turn
        if (child.pid === undefined || socket === undefined) return describeRefusal(undefined, cwd)
        socket.on('error', () => {}) // the shim is gone, and its end will be told
        socket.unref()
        child.unref()
        child.on('exit', (code, signal) => {
          if (closed) return
          onEnd(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal })
        })
        const open = () => socket.end(formatGo(token))
        return { ok: true, pid: child.pid, gate: { open, close: () => socket.destroy() } }
      } catch (fault) {
        return describeRefusal((fault as NodeJS.ErrnoException).code, cwd)
      }
    },
    look: () => {}, // libuv asks by itself, at the next turn of the loop
    close() {
      closed = true
    },
  }
}

/** ENOENT of a spawn may mean the folder; and Node keeps the name of some refusals for a later turn, which are limits. */
function describeRefusal(code: string | undefined, cwd: string): SpawnAnswer {
  if (!isFolder(cwd)) return { ok: false, code: 'ENOENT', message: `${cwd} is not a folder that can be entered` }
  const name = code ?? 'EAGAIN'
  return { ok: false, code: name, message: messages.get(name) ?? `the system refused with ${name}` }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

const messages: ReadonlyMap<string, string> = new Map([
  ['E2BIG', 'arguments and environment together are larger than the system allows'],
  ['EAGAIN', 'the system allows no more processes or open files'],
  ['EMFILE', 'this program has as many files open as it may'],
  ['ENOMEM', 'there is not enough memory to start a process'],
  ['EACCES', 'the folder may not be entered'],
])

function errorName(errno: number): string {
  return getSystemErrorMap().get(-errno)?.[0] ?? `errno ${errno}`
}
