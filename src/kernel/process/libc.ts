import { constants, endianness } from 'node:os'

/**
 * The calls of the C library that Node has no name for, through koffi where it loads: pidfds, which make a signal hit
 * one process for sure, and posix_spawn, which does not copy this program's page tables (Node's `spawn` takes 0.8 ms
 * in a process of 55 MB and 10 ms at 390 MB; this is flat at 0.15 ms). Everything works without it.
 */
export interface Libc {
  /** A descriptor of the process, or the negative errno. Closed on exec. */
  openPidfd(pid: number): number
  /** 0, or the errno. `group` reaches the whole group, also when its leader is gone; only where `canSignalGroup`. */
  signalPidfd(pidfd: number, signal: number, scope: 'process' | 'group'): number
  /** From kernel 6.9. */
  readonly canSignalGroup: boolean
  /** Starts a session leader; see `SpawnOrder`. */
  spawn(order: SpawnOrder): { readonly pid: number; readonly gate: number } | { readonly errno: number }
  /**
   * Gives the blocks of this stretch of a file back to the file system; its size stays, and the stretch reads as zeros.
   * 0, or the errno: EOPNOTSUPP where the file system cannot, ENOSYS where the C library has no such call.
   */
  freeRange(descriptor: number, fromByte: number, lengthBytes: number): number
  /** Collects a child that has ended; `not_ours` when it is no child of this process. */
  reap(pid: number): ReapedChild | 'running' | 'not_ours'
}

/**
 * stdin and stderr are /dev/null, stdout is `stdout`, descriptor 3 is the reading end of a new pipe; nothing else is
 * open, also not what this program was itself started with, where the C library can close it (glibc 2.34).
 */
export interface SpawnOrder {
  readonly program: string
  readonly argv: readonly string[]
  /** `NAME=value` each. */
  readonly env: readonly string[]
  readonly cwd: string
  readonly stdout: number
}

export interface ReapedChild {
  /** Raw, as of wait(2). */
  readonly status: number
  /** Undefined where numbers are not laid out as 64-bit little-endian. */
  readonly used: ChildUse | undefined
}

/** What a child and all that its line had waited for has used, as the kernel counts it (getrusage(2)). */
export interface ChildUse {
  readonly cpuSeconds: number
  /** Of the largest single process among them, not of all together. */
  readonly peakRssBytes: number
}

let loaded: Promise<Libc | undefined> | undefined

/** Loaded once for this process; undefined where koffi is not installed or finds no C library it can call. */
export function loadLibc(): Promise<Libc | undefined> {
  loaded ??= import('koffi').then(({ default: koffi }) => bindLibc(koffi)).catch(() => undefined)
  return loaded
}

type Koffi = typeof import('koffi')['default']

// Numbers of syscalls(2), equal on all architectures; values of spawn.h, fcntl.h and wait.h, equal in glibc and musl.
const pidfdSendSignal = 424
const pidfdOpen = 434
const pidfdSignalGroup = 1 << 2
const spawnSetSigDefault = 0x04
const spawnSetSigMask = 0x08
const spawnSetSid = 0x80
const closeOnExec = 0o2000000
const waitNoHang = 1

function bindLibc(koffi: Koffi): Libc {
  const libc = koffi.load(null) // this very program: Node is linked to the C library of the system
  const syscall = libc.func('long syscall(long number, ...)')
  const wait4 = libc.func('int wait4(int pid, _Out_ int *status, int options, _Out_ void *usage)')
  const usage = Buffer.alloc(opaqueBytes)
  const canRead = koffi.sizeof('long') === 8 && endianness() === 'LE'
  const call = (number: number, ...rest: unknown[]) => (syscall(number, ...rest) === 0 ? 0 : koffi.errno())
  const signalPidfd = (pidfd: number, signal: number, scope: 'process' | 'group') =>
    call(pidfdSendSignal, 'int', pidfd, 'int', signal, 'void *', null, 'uint', scope === 'group' ? pidfdSignalGroup : 0)
  const openPidfd = (pid: number) => {
    const descriptor = Number(syscall(pidfdOpen, 'int', pid, 'uint', 0))
    return descriptor >= 0 ? descriptor : -koffi.errno()
  }
  return {
    openPidfd,
    signalPidfd,
    canSignalGroup: probeGroupSignal({ libc, openPidfd, signalPidfd }),
    spawn: bindSpawn(libc),
    freeRange: bindFreeRange(koffi, libc),
    reap: (pid) => {
      const status: [number] = [0]
      const answer = wait4(pid, status, waitNoHang, usage)
      if (answer === pid) return { status: status[0], used: canRead ? readUsage(usage) : undefined }
      return answer === 0 ? 'running' : 'not_ours'
    },
  }
}

/** struct rusage: user time, system time (seconds and microseconds each), largest resident set in KiB, all of them longs. */
function readUsage(usage: Buffer): ChildUse {
  const long = (index: number) => Number(usage.readBigInt64LE(8 * index))
  return { cpuSeconds: long(0) + long(2) + (long(1) + long(3)) / 1e6, peakRssBytes: long(4) * 1_024 }
}

type Library = ReturnType<Koffi['load']>

/**
 * Signal 0 asks the kernel whether it knows the flag, and does nothing else: EINVAL where it does not; otherwise success,
 * or ESRCH when we lead no group.
 */
function probeGroupSignal({
  libc,
  openPidfd,
  signalPidfd,
}: { readonly libc: Library } & Pick<Libc, 'openPidfd' | 'signalPidfd'>): boolean {
  const own = openPidfd(process.pid)
  if (own < 0) return false
  try {
    return signalPidfd(own, 0, 'group') !== constants.errno.EINVAL
  } finally {
    libc.func('int close(int fd)')(own)
  }
}

// FALLOC_FL_PUNCH_HOLE, which wants FALLOC_FL_KEEP_SIZE beside it: linux/falloc.h.
const punchHoleKeepSize = 0x02 | 0x01

/** glibc names the call with 64-bit offsets apart, on all machines; musl has only that one, under the plain name. */
function bindFreeRange(koffi: Koffi, libc: Library): Libc['freeRange'] {
  const fallocate =
    bindOptional(libc, 'int fallocate64(int fd, int mode, int64_t offset, int64_t length)') ??
    bindOptional(libc, 'int fallocate(int fd, int mode, int64_t offset, int64_t length)')
  if (fallocate === undefined) return () => constants.errno.ENOSYS
  return (descriptor, fromByte, lengthBytes) =>
    fallocate(descriptor, punchHoleKeepSize, fromByte, lengthBytes) === 0 ? 0 : koffi.errno()
}

function bindSpawn(libc: Library): Libc['spawn'] {
  const close = libc.func('int close(int fd)')
  const pipe2 = libc.func('int pipe2(_Out_ int *ends, int flags)')
  const initActions = libc.func('int posix_spawn_file_actions_init(void *actions)')
  const destroyActions = libc.func('int posix_spawn_file_actions_destroy(void *actions)')
  const addDup = libc.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int newfd)')
  const addOpen = libc.func(
    'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, unsigned int mode)',
  )
  const addChdir = libc.func('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)')
  const posixSpawn = libc.func(
    'int posix_spawn(_Out_ int *pid, const char *path, void *actions, void *attr, const char **argv, const char **envp)',
  )
  const addCloseFrom = bindOptional(libc, 'int posix_spawn_file_actions_addclosefrom_np(void *actions, int from)')
  const attributes = makeAttributes(libc)
  const actions = Buffer.alloc(opaqueBytes)
  return ({ program, argv, env, cwd, stdout }) => {
    const ends: [number, number] = [0, 0]
    if (pipe2(ends, closeOnExec) !== 0) return { errno: constants.errno.EMFILE } // the one way in which it fails
    const [read, gate] = ends
    initActions(actions)
    // The order matters: a target number must not cover a source that is still needed (sources are 3 and up).
    addDup(actions, stdout, 1)
    addOpen(actions, 0, '/dev/null', 0, 0)
    addOpen(actions, 2, '/dev/null', 1, 0)
    addDup(actions, read, 3)
    addCloseFrom?.(actions, 4)
    addChdir(actions, cwd)
    const pid: [number] = [0]
    const errno = posixSpawn(pid, program, actions, attributes, [...argv, null], [...env, null])
    destroyActions(actions)
    close(read)
    if (errno === 0) return { pid: pid[0], gate }
    close(gate)
    return { errno }
  }
}

function bindOptional(libc: Library, prototype: string) {
  try {
    return libc.func(prototype)
  } catch {
    return undefined // older than the call
  }
}

/** More than any C library's opaque structs for posix_spawn need (glibc: 80 and 336 bytes). */
const opaqueBytes = 1_024

/** A new session, every signal at its default and none blocked: Node ignores SIGPIPE, and an ignore would be inherited. */
function makeAttributes(libc: Library): Buffer {
  const attributes = Buffer.alloc(opaqueBytes)
  const signals = Buffer.alloc(opaqueBytes)
  libc.func('int posix_spawnattr_init(void *attr)')(attributes)
  libc.func('int posix_spawnattr_setflags(void *attr, short flags)')(
    attributes,
    spawnSetSid | spawnSetSigDefault | spawnSetSigMask,
  )
  libc.func('int sigemptyset(void *set)')(signals)
  libc.func('int posix_spawnattr_setsigmask(void *attr, void *set)')(attributes, signals)
  libc.func('int sigfillset(void *set)')(signals)
  libc.func('int posix_spawnattr_setsigdefault(void *attr, void *set)')(attributes, signals)
  return attributes
}
