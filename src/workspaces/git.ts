import { statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { systemClock } from '../kernel/index.ts'
import { findProgram } from '../kernel/process/index.ts'
import { buildGitEnvironment } from './git-environment.ts'
import { groupOf } from './git-group.ts'

/** What every call of git works with. */
export interface GitDeps {
  /** The hub's own environment: what git may see of it is taken from there (see `buildGitEnvironment`). */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends a git that runs; the call answers when that git is gone. */
  readonly signal: AbortSignal
  /** Put before the command, so that no git outlives a hub that is killed (`setpriv --pdeathsig KILL --`); absent or empty: nothing. */
  readonly wrapper?: readonly string[]
}

export interface GitCall {
  /** Absolute. */
  readonly cwd: string
  /** Verb first. */
  readonly args: readonly string[]
  /** Given to it on its standard input; absent: end-of-file. */
  readonly input?: string | Buffer
  /** An open descriptor in the place of `input`: for what is too large to hold. */
  readonly inputFrom?: number
  /** An open descriptor that standard output goes into: for what is too large to hold. `stdout` is empty then. */
  readonly outputInto?: number
  /** Variables besides, which win: `GIT_INDEX_FILE`, `GIT_AUTHOR_DATE`. */
  readonly env?: Readonly<Record<string, string>>
  /** `name=value`, set for this call only. */
  readonly config?: readonly string[]
  /** network: talks to another machine, so it gets more time and a least speed. Built in: local. */
  readonly reach?: 'local' | 'network'
  /** background: it gives way to the hub, and to the start of other processes. For what keeps a core busy for long. */
  readonly pace?: 'background'
  /** Built in: 10 min, over the network 15 min. */
  readonly timeoutMs?: number
  /** Of standard output; more is a failure. Built in: 64 MiB. */
  readonly maxBytes?: number
}

export type GitAnswer = GitDone | GitFailed

export interface GitDone {
  readonly ok: true
  /** As text; invalid UTF-8 is replaced, so take `bytes` where names of files matter. */
  readonly stdout: string
  readonly bytes: Buffer
  readonly stderr: string
}

export interface GitFailed {
  readonly ok: false
  /** Null where it did not end by itself, or was never started. */
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: string
  /** In English whatever the hub's language is, at most 64 KiB. */
  readonly stderr: string
  readonly timedOut: boolean
  /** It was ended by `GitDeps.signal`. */
  readonly aborted: boolean
  /** It printed more than `maxBytes`. */
  readonly tooLong: boolean
  /** There is no git on this machine. */
  readonly missing: boolean
}

const localMs = 10 * 60_000
const networkMs = 15 * 60_000
const mostBytes = 64 * 1024 * 1024
const mostErrorBytes = 64 * 1024
/** After TERM, in which git removes its locks and ends those that it started. */
const graceMs = 3_000

/**
 * Starts git, the only place that does: hooks off, prompts off, an allow-listed environment, a deadline, bounded output.
 * Whatever git says is answered, never thrown; with an aborted signal nothing is started.
 */
export async function runGit(deps: GitDeps, call: GitCall): Promise<GitAnswer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await runOnce(deps, call)
    const isOver = answer.ok || tries === mostTries || call.inputFrom !== undefined || call.outputInto !== undefined
    if (isOver || !sawHalfWorktree.test(answer.stderr)) return answer
  }
}

/**
 * Git takes an entry of another worktree that is being written at this moment for a broken one ("failed to read
 * worktrees/T1/commondir: Success", seen with 2.39), whatever it was to do. A moment later it is whole.
 */
export const sawHalfWorktree = /^fatal: failed to read .*worktrees\/.*\/(commondir|gitdir)/m
const mostTries = 20

async function runOnce(deps: GitDeps, call: GitCall): Promise<GitAnswer> {
  const [program = 'git', ...args] = [...(deps.wrapper ?? []), 'git', ...fixedOptions(call), ...call.args]
  const { execa } = await import('execa') // loaded at the first git: a hub without worktrees needs none
  if (deps.signal.aborted) return { ...neverStarted, aborted: true }
  const cancel = new AbortController()
  const child = execa(program, args, {
    cwd: call.cwd,
    env: { ...buildGitEnvironment(deps.env), ...call.env },
    extendEnv: false,
    ...(call.input === undefined ? { stdin: asDescriptor(call.inputFrom) ?? 'ignore' } : { input: call.input }),
    stdout: asDescriptor(call.outputInto) ?? 'pipe',
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
    cancelSignal: cancel.signal,
    detached: true, // a group of its own: all that it starts is ended with it
    forceKillAfterDelay: graceMs,
    maxBuffer: { stdout: call.maxBytes ?? mostBytes, stderr: mostErrorBytes },
  })
  if (call.pace === 'background' && child.pid !== undefined) giveWay(child.pid)
  const group = groupOf(child.pid)
  const over = new AbortController()
  const ended: { by?: 'stop' | 'deadline' } = {}
  const cut = (by: 'stop' | 'deadline') => {
    if (ended.by !== undefined) return
    ended.by = by
    group.askToEnd()
    cancel.abort()
    systemClock.after(graceMs, over.signal, () => {
      group.kill()
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy() // whoever left the group may hold them
    })
  }
  const stop = () => cut('stop')
  deps.signal.addEventListener('abort', stop, { once: true })
  const limitMs = call.timeoutMs ?? (call.reach === 'network' ? networkMs : localMs)
  systemClock.after(limitMs, over.signal, () => cut('deadline'))
  const answer = await child
  over.abort()
  deps.signal.removeEventListener('abort', stop)
  const bytes = Buffer.from(answer.stdout ?? '')
  const stdout = bytes.toString()
  const stderr = Buffer.from(answer.stderr ?? '').toString()
  if (!answer.failed) return { ok: true, stdout, bytes, stderr }
  return {
    ok: false,
    exitCode: answer.exitCode ?? null,
    signal: answer.signal ?? null,
    stdout,
    stderr: answer.exitCode === undefined && stderr === '' ? (answer.originalMessage ?? '') : stderr,
    timedOut: ended.by === 'deadline',
    aborted: ended.by === 'stop',
    tooLong: answer.isMaxBuffer,
    missing: isMissing(deps, call, answer.exitCode),
  }
}

/** A third of the share of others where all cores are busy. Only a wish. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, 5)
  } catch {
    // it has ended already, or this is not allowed here
  }
}

/** Node takes any descriptor; the types of execa stop at 9. */
const asDescriptor = (descriptor: number | undefined) => descriptor as 3 | undefined

const neverStarted: GitFailed = {
  ok: false,
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  timedOut: false,
  aborted: false,
  tooLong: false,
  missing: false,
}

/**
 * A worker may write into the configuration of the repository that it works in: what it writes there must not run as us
 * where git lets us say so. A command line beats every file.
 */
function fixedOptions({ reach, config = [] }: GitCall): readonly string[] {
  return [...safeConfig, ...(reach === 'network' ? networkConfig : []), ...config].flatMap((each) => ['-c', each])
}

const safeConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.quotePath=true',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'log.showSignature=false',
  'advice.detachedHead=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'protocol.ext.allow=never',
]
/** Under 1 kB/s for a minute is a line that is dead. */
const networkConfig = ['http.lowSpeedLimit=1000', 'http.lowSpeedTime=60']

/** Asked only when it failed. A wrapper that finds no program exits with 127; a missing folder is ENOENT, too. */
function isMissing({ env, wrapper = [] }: GitDeps, { cwd }: GitCall, exitCode: number | undefined): boolean {
  if (exitCode !== undefined && !(exitCode === 127 && wrapper.length > 0)) return false
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return false
  return findProgram({ name: 'git', path: env.PATH ?? '', cwd }).kind !== 'found'
}
