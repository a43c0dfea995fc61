import { assertNever, type Clock, describeSize, type RunId } from '../../kernel/index.ts'
import { compareFingerprint, type Fingerprint, type HostIdentity, type Libc } from '../../kernel/process/index.ts'
import { composeRunFiles, viewLog } from '../../runs/index.ts'
import { closeLog, freeMore, isShortLog, type KeptLog, keepLog, type LogLook, lookAtLog } from './kept-log.ts'
import type { WatchedRun } from './watched-run.ts'

export interface LogKeeperDeps {
  readonly clock: Clock
  readonly host: HostIdentity
  readonly libc: Libc | undefined
  /** Time between two beats: the longest between two looks. */
  readonly everyMs: number
  readonly events: {
    /** Its log has lost what was written: somebody else shortened the file. Told once for each run. */
    logShortened(run: RunId, text: string): void
    /** Its log could not be looked at or cut; told once for each run, and tried again at each look. */
    logFault(run: RunId, fault: unknown): void
  }
}

/** The soonest look after another, however fast a worker prints. */
const soonestMs = 50
/** What one log may be longer than its limit before it is looked at again, at the speed it was seen to grow. */
const allowanceShare = 0.25
/** Between two looks at what the processes that a run has left behind write. */
const leftEveryMs = 30_000

interface Entry {
  readonly run: WatchedRun
  /** Undefined where a writer of its own keeps the limit (`log: piped`), or there is none. */
  readonly log: KeptLog | undefined
  /** writing: its tree may. left: what was let go, or kept. ended: nobody, but not all is given back yet. */
  state: 'writing' | 'left' | 'ended'
  sizeBytes: number
  lookedMs: number
  waitMs: number
  dueMs: number
  told: boolean
  faultTold: boolean
}

/**
 * Looks at the logs of runs: keeps each within its limit, and notes when a worker spoke last. At every beat of the sampler;
 * and in between sooner the faster one grows, so that it is never longer than its limit by more than
 *
 * - what it prints in one beat, when it was quiet before (after its start: in 50 ms, then 100, 200, …), and from then on
 * - a quarter of the limit, or what it prints in 50 ms where that is more.
 */
export class LogKeeper {
  readonly #deps: LogKeeperDeps
  readonly #entries = new Map<RunId, Entry>()
  #plannedMs = Number.POSITIVE_INFINITY
  #plan = new AbortController()

  constructor(deps: LogKeeperDeps) {
    this.#deps = deps
  }

  /** From its start or adoption on. */
  add(run: WatchedRun): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const { logBytes, logBy } = run.limits
    const path = composeRunFiles(run.runDir).log
    const kept = logBy === 'pipe' || logBytes === null ? undefined : keepLog(this.#deps, { path, limitBytes: logBytes })
    // An adopted one may have grown for as long as no hub was there; but 200 of them are first adopted, and then looked at.
    const times = { lookedMs: nowMs, waitMs: soonestMs, dueMs: run.adopted ? nowMs : nowMs + soonestMs }
    const entry: Entry = {
      run,
      log: kept,
      state: 'writing',
      sizeBytes: 0,
      ...times,
      told: false,
      faultTold: false,
    }
    this.#entries.set(run.run, entry)
    if (entry.dueMs < this.#plannedMs) this.#planNext()
  }

  /** All of them, at the beat. */
  look(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const entry of this.#entries.values()) {
      if (entry.state === 'writing' || entry.dueMs <= nowMs) this.#look(entry)
    }
    this.#planNext()
  }

  /** One of them, before its end is told: what is read then is within its limit. */
  lookAt(run: RunId): void {
    const entry = this.#entries.get(run)
    if (entry !== undefined && !isOverAlready(entry)) this.#look(entry)
  }

  /** Its tree is gone, kept processes excepted; or it was let go although it may live. Those may go on writing. */
  release(run: RunId): void {
    const entry = this.#entries.get(run)
    if (entry === undefined) return
    if (!isOverAlready(entry)) this.#look(entry)
    entry.state = 'left'
    this.#settle(entry)
    this.#planNext()
  }

  stop(): void {
    this.#plan.abort()
    for (const { log } of this.#entries.values()) {
      if (log === undefined) continue
      while (log.toFree !== undefined && log.descriptor !== undefined) freeMore(this.#deps, log)
      closeLog(log)
    }
    this.#entries.clear()
  }

  #planNext(): void {
    let dueMs = Number.POSITIVE_INFINITY
    for (const entry of this.#entries.values()) dueMs = Math.min(dueMs, entry.dueMs)
    if (dueMs >= this.#plannedMs) return
    this.#plan.abort()
    this.#plan = new AbortController()
    this.#plannedMs = dueMs
    const { clock } = this.#deps
    clock.after(dueMs - clock.monotonicMs(), this.#plan.signal, () => {
      this.#plannedMs = Number.POSITIVE_INFINITY
      this.#lookAtDue()
    })
  }

  #lookAtDue(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    for (const entry of [...this.#entries.values()]) {
      if (entry.dueMs > nowMs) continue
      if (entry.state !== 'ended') this.#look(entry)
      else if (entry.log !== undefined) freeMore(this.#deps, entry.log)
      if (entry.state !== 'writing') this.#settle(entry)
    }
    this.#planNext()
  }

  #look(entry: Entry): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const look = this.#read(entry)
    const grownBytes = look === undefined ? 0 : look.sizeBytes - entry.sizeBytes
    if (look !== undefined) this.#note(entry, look)
    const sinceMs = nowMs - entry.lookedMs
    entry.lookedMs = nowMs
    entry.waitMs = entry.log?.toFree === undefined ? this.#waitMs(entry, { look, grownBytes, sinceMs }) : 0
    // Quiet ones are looked at in the beat, all in one go.
    entry.dueMs = entry.waitMs >= this.#deps.everyMs ? Number.POSITIVE_INFINITY : nowMs + entry.waitMs
  }

  #read(entry: Entry): LogLook | undefined {
    try {
      return entry.log === undefined ? viewSize(entry.run) : lookAtLog(this.#deps, entry.log)
    } catch (fault) {
      if (!entry.faultTold) this.#deps.events.logFault(entry.run.run, fault)
      entry.faultTold = true
      return undefined
    }
  }

  #note(entry: Entry, { sizeBytes, changedAtMs, shortenedFromBytes }: LogLook): void {
    const { usage } = entry.run
    if (sizeBytes !== entry.sizeBytes || shortenedFromBytes !== null) {
      usage.logBytes = sizeBytes
      usage.lastOutputAtMs = changedAtMs
      // What an adopted one wrote before is no sign of life now.
      if (entry.sizeBytes > 0 || !entry.run.adopted) usage.quietSinceMs = this.#deps.clock.monotonicMs()
    }
    entry.sizeBytes = sizeBytes
    if (shortenedFromBytes === null || entry.told) return
    entry.told = true
    const lost = describeSize(shortenedFromBytes)
    this.#deps.events.logShortened(
      entry.run.run,
      `its log was shortened while it ran, not by yardmaster: ${lost} of it are lost`,
    )
  }

  /** Until it may have grown over its allowance; longer, step by step, while it does not grow much. */
  #waitMs(
    { log, waitMs }: Entry,
    {
      look,
      grownBytes,
      sinceMs,
    }: { readonly look: LogLook | undefined; readonly grownBytes: number; readonly sinceMs: number },
  ): number {
    const { everyMs } = this.#deps
    const calmMs = Math.min(everyMs, Math.max(soonestMs, waitMs * 2))
    if (log === undefined || look === undefined || grownBytes <= 0 || sinceMs <= 0) return calmMs
    const roomBytes = Math.max(0, log.limitBytes - look.keptBytes) + log.limitBytes * allowanceShare
    return Math.max(soonestMs, Math.min(calmMs, (roomBytes * sinceMs) / grownBytes))
  }

  /** What becomes of a log whose run is over. */
  #settle(entry: Entry): void {
    const { clock, host } = this.#deps
    switch (entry.state) {
      case 'writing':
        return
      case 'left': {
        if (entry.log !== undefined && mayWrite(entry.run).some((one) => compareFingerprint(host, one) === 'same')) {
          entry.dueMs = Math.min(entry.dueMs, clock.monotonicMs() + leftEveryMs)
          return
        }
        entry.state = 'ended'
        this.#settle(entry)
        return
      }
      case 'ended':
        if (entry.log?.toFree !== undefined) {
          entry.dueMs = clock.monotonicMs()
          return
        }
        if (entry.log !== undefined) closeLog(entry.log)
        this.#entries.delete(entry.run.run)
        return
      default:
        assertNever(entry.state)
    }
  }
}

/** It was short, and nobody has looked at its log or has to. */
function isOverAlready({ run, log }: Entry): boolean {
  return !run.adopted && log !== undefined && isShortLog(log)
}

/** Whoever of its tree may be alive when it is over: our own child is not, once its end was collected. */
function mayWrite({ phase, adopted, target, seenOutside }: WatchedRun): readonly Fingerprint[] {
  const isCollected = phase === 'exited' && !adopted
  return isCollected ? [...seenOutside.values()] : [target.fingerprint, ...seenOutside.values()]
}

function viewSize({ runDir }: WatchedRun): LogLook | undefined {
  return viewLog(composeRunFiles(runDir).log, ({ sizeBytes, changedAtMs }) => ({
    sizeBytes,
    keptBytes: 0,
    changedAtMs,
    shortenedFromBytes: null,
  }))
}
