import type { Clock, RunId, Service } from '../../kernel/index.ts'
import type { KillSource, SignalRecord, WaitStatus } from '../../kernel/process/index.ts'
import type { ExitRecord } from '../../runs/index.ts'

/** Everything needed to start the process of one stage. The supervisor knows no board: records go in and out. */
export interface LaunchOrder {
  readonly run: RunId
  readonly fence: number
  /** Absolute run directory; exists when `launch` is called (see `runs`). */
  readonly runDir: string
  /** Program and arguments; the program is an absolute path, found before the claim. */
  readonly argv: readonly string[]
  readonly cwd: string
  /** Whole environment of the worker, made by the one builder; the marker is in it. */
  readonly env: Readonly<Record<string, string>>
  /** What of the worker's marker variable names this run: `formatMarker` of kernel/process, `yard:R981:nonce`. */
  readonly marker: string
  /** The run's secrets, for the worker's descriptor 3 (`formatHandover`); null: its lane wants none, and it is closed. */
  readonly token: string | null
  readonly limits: RunLimits
}

export interface RunLimits {
  readonly timeoutMs: number
  readonly stallMs: number | 'off'
  readonly graceMs: number
  /** Processes left behind may live on: members outside the shim's own session are ended only as `killPolicy` says. */
  readonly keeps: boolean
  /** Resident memory of its tree, kept processes not counted; null: as much as there is. */
  readonly memoryBytes: number | null
  /** How much of its log is kept on disk, its beginning and its end; null: all of it. */
  readonly logBytes: number | null
  /** worker: it appends to the file by itself. pipe: a writer of ours does it, and keeps the limit (`log: piped`). */
  readonly logBy: 'worker' | 'pipe'
}

/** Who the process is, as text for the store. */
export interface Identity {
  readonly pid: number
  readonly fingerprint: string
  /** `bootId monotonicMs` at the spawn. */
  readonly startedMonotonic: string
}

export type Launched =
  | { readonly ok: true; readonly identity: Identity }
  /**
   * Nothing runs: the system refused (E2BIG, EAGAIN, ENOMEM, …), or `UNVERIFIED`, the shim could not be identified and
   * was sent away. `bytes`: size of arguments and environment. No event follows.
   */
  | { readonly ok: false; readonly code: string; readonly message: string; readonly bytes: number }

/** An open run as the store has it, for adoption. */
export interface RunRecord {
  readonly run: RunId
  readonly fence: number
  readonly runDir: string
  readonly marker: string
  readonly phase: 'claimed' | 'started' | 'exited'
  readonly pid: number | null
  readonly fingerprint: string | null
  readonly startedMonotonic: string | null
  readonly limits: RunLimits
  /** Set when a stop had been committed before the restart: the ladder goes on at `rung`. */
  readonly stopping: StoppingRecord | null
}

export interface StoppingRecord {
  readonly source: KillSource
  readonly reason: string
  /** The last one that `climbing` told: its signals may have been sent. */
  readonly rung: 'TERM' | 'KILL' | null
  /** `rung` said afterwards that it reached the worker. */
  readonly reached: boolean
}

/**
 * same: alive and ours; watched from now on as if we had started it. gone: its shim is; `exited` follows in a later turn
 * with what the exit record says (not for a record in phase `exited`), then `swept` or `survivors`. never: it has run
 * nothing, no event follows. cannot_tell: it, or what it left, may be alive; it is held, and looked at again every 30 s as if
 * adopted anew (then `found` tells what it was found to be, and `never` is told by events, as after `discard`). `exited`
 * follows where it is in a pid namespace that cannot be looked into and its record says how its worker ended; `swept` only
 * when it can be told that nobody is left there.
 */
export type Adopted = 'same' | 'gone' | 'never' | 'cannot_tell'

export interface ExitFacts {
  readonly run: RunId
  readonly fence: number
  /** Present where we were the parent. 129..159 of the shim are given as the signal they stand for. */
  readonly wait: WaitStatus | null
  /** The exit record, read only after the death was seen; `never` when it left without go; null when empty or unreadable. */
  readonly record: ExitRecord | null
  /** A signal of ours reached a live process of this run before it ended; its shim alone counts for KILL only. */
  readonly delivered: boolean
  /** Boot of the stored fingerprint is another one: cut by a reboot. */
  readonly otherBoot: boolean
  /** Adopted, so that the wait status was somebody else's to see. */
  readonly adopted: boolean
  /** The kernel has killed a process of it for memory: its own counter says so (only with a control group). */
  readonly oom: boolean
  /**
   * Whether the kernel has killed anybody on this machine for memory since our look before the end, so perhaps this run;
   * null: not asked, as it was not ended by a KILL that is not ours, or not knowable.
   */
  readonly oomOnMachine: boolean | null
  /** Of the whole tree at its largest, as far as anybody looked, so a floor; null: nobody did. */
  readonly peakRssBytes: number | null
  /** Of the whole tree, as far as it was counted, so a floor; null: by nobody. */
  readonly cpuSeconds: number | null
}

/** The limit that has passed. */
export type OverdueKind = 'timeout' | 'stall' | 'memory'

export interface TreeSample {
  readonly run: RunId
  readonly processes: number
  readonly rssBytes: number
  /** CPU seconds used by the tree so far. */
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  /** Wall-clock time of the last byte of output. */
  readonly lastOutputAtMs: number
}

/** What the supervisor tells; each is called in the loop turn in which it learns of it. */
export interface SupervisorEvents {
  exited(facts: ExitFacts): void
  /** It can be told now how it stands with a held run, as `adopt` would have said; told before whatever follows from it. */
  found?(run: RunId, as: Exclude<Adopted, 'cannot_tell'>): void
  /** The tree of an exited run is verified empty (kept processes excepted). */
  swept(run: RunId): void
  /** The tree of an exited run could not be ended yet; it is looked at again every 30 s, and told again when it has changed. */
  survivors(run: RunId, pids: readonly number[]): void
  /** A limit has passed: commit the reason, then call `end`. Told once for each run. */
  overdue(run: RunId, kind: OverdueKind, text: string): void
  /**
   * A rung of the ladder is about to be used: commit it now. Its signals follow in this turn, whatever comes of the commit;
   * a rung on record is not used a second time after a restart (`resumeLadder` says why).
   */
  climbing(run: RunId, rung: 'TERM' | 'KILL'): void
  /** It was used. `answer` says whom the signals went to, how, and what came of them. */
  rung(
    run: RunId,
    rung: 'TERM' | 'KILL',
    used: { readonly answer: string; readonly reached: 'worker' | 'nobody' },
  ): void
  /** Its log has lost what was in it, and not by us. Told once for each run. */
  logShortened?(run: RunId, text: string): void
  /** Its log cannot be looked at or cut for now: for the log. Told once for each run. */
  logFault?(run: RunId, fault: unknown): void
  /** Every signal that was sent or refused, the sweep's included: for the log. */
  signalled?(run: RunId, record: SignalRecord): void
}

export interface SupervisorOptions {
  readonly clock: Clock
  readonly events: SupervisorEvents
  /** How often the trees of running runs are sampled. */
  readonly sampleEveryMs: number
  /** `avoid` does without the C library calls, as where koffi is not installed. Default `use`. */
  readonly libc?: 'use' | 'avoid'
  /** die: the kernel ends shim and worker when this process is gone (`run --orphans die`). Default `live`. */
  readonly orphans?: 'live' | 'die'
}

export interface Supervisor extends Service {
  /** Spawns the shim behind its gate and captures its identity in the same turn. Nothing of the worker runs yet. */
  launch(order: LaunchOrder): Launched
  /** Opens the gate: the worker starts. Only after the identity is committed. */
  go(run: RunId): void
  /** Closes the gate: the shim writes `never` and leaves; an `exited` event follows, then `swept`. */
  discard(run: RunId): void
  adopt(record: RunRecord): Adopted
  /**
   * Climbs the ladder on the whole tree: TERM, then CONT, `graceMs` later KILL. Call after the reason is committed.
   * `atOnce` goes to KILL. Calling it again never goes down a rung. A run still at its gate is discarded.
   */
  end(run: RunId, how: { readonly source: KillSource; readonly reason: string; readonly atOnce: boolean }): void
  /**
   * How it stands with a run now; a held one is looked at afresh. alive: its shim is ours beyond doubt. ended: the shim is
   * gone, its tree may not be. held: that cannot be told. ended_apart: only of its tree that cannot be told. unknown: not
   * watched here.
   */
  standing(run: RunId): 'alive' | 'ended' | 'held' | 'ended_apart' | 'unknown'
  /** Watches it no longer, whatever is left of it: a person has let its task go. No signal is sent and no event follows. */
  letGo(run: RunId): void
  /** Last samples of running runs. */
  samples(): readonly TreeSample[]
  /** Stops watching and closes every descriptor and timer. The workers live on. */
  stop(): Promise<void>
}
