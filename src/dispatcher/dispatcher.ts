import type { Actor } from '../board/index.ts'
import type { RunId, Service } from '../kernel/index.ts'
import { createAccountMemory } from './account-memory.ts'
import { adoptRuns, learnSecrets } from './adopt-runs.ts'
import { claimAndStart } from './claim-runs.ts'
import { clearContainers } from './clear-containers.ts'
import { type ClockWatch, createClockWatch } from './clock-watch.ts'
import type { YardDeps } from './deps.ts'
import { DiskWatch } from './disk/disk-watch.ts'
import { endAll, hurryAll } from './end-all.ts'
import { hearBoard } from './hear-board.ts'
import { hearSupervisor } from './hear-supervisor.ts'
import type { LaneCheck } from './lane-checks.ts'
import { LaneWatch } from './lane-watch.ts'
import { builtInLingerMs } from './linger.ts'
import { createLoopState, type Loop } from './loop-state.ts'
import type { OpenRun } from './open-runs.ts'
import { dropOwnMarkers } from './own-markers.ts'
import { longestWaitMs } from './plan-next.ts'
import { recordExits } from './record-exits.ts'
import { giveBackWaiting, recordUnstarted } from './record-unstarted.ts'
import { type Release, releaseRun } from './release-run.ts'
import { settleRuns } from './settle-runs.ts'
import { Steps } from './stages/steps.ts'
import { workspaceDeps } from './stages/workspace-deps.ts'
import { stopRuns } from './stop-runs.ts'
import type { Supervisor, SupervisorEvents, TreeSample } from './supervisor/index.ts'
import { createWakeLoop, type WakeLoop } from './wake-loop.ts'
import { endBatches } from './watch-batches.ts'

export interface DispatcherOptions {
  /** Makes the supervisor that tells this dispatcher what it sees. */
  readonly superviseWith: (events: SupervisorEvents) => Supervisor
  /** How often it looks although nobody told it anything. Built in: 5 s. */
  readonly pollEveryMs?: number
  /** How long a process may still be there after it said how it ends. Built in: 30 s. */
  readonly lingerMs?: number
}

/** leave: workers live on for the next hub. end: the ladder ends them, outcome interrupted. */
export interface StopHow {
  readonly workers: 'leave' | 'end'
}

export interface Dispatcher extends Service {
  stop(how?: StopHow): Promise<void>
  /** A second Ctrl-C: everything that runs is killed at once. */
  hurry(): void
  /**
   * Nobody waits any more for what has not ended: a `stop` under way goes on without it, and the next start takes it up, what
   * an attempt left in its worktree included. Answers which attempts those are.
   */
  leaveRest(): readonly RunId[]
  /** Nothing new starts from now on, what runs may finish. Resolves when nothing runs any more. */
  leave(): Promise<void>
  isLeaving(): boolean
  sampleOf(run: RunId): TreeSample | undefined
  /** As they were found at the start, a moment later also tried; empty until then. */
  lanes(): readonly LaneCheck[]
  /** It cannot be told whether this attempt, or what it left, lives; looks afresh. */
  isHeld(run: RunId): boolean
  /** Lets the task of a held attempt go although it may be alive; see `Release`. */
  release(run: RunId, actor: Actor): Release
}

const builtInPollMs = 5_000

export function createDispatcher(deps: YardDeps, options: DispatcherOptions): Dispatcher {
  return new YardDispatcher(deps, options)
}

/**
 * The loop of design section 7. It sleeps until something happened: a commit, an exit, a passed time; a slow poll is
 * only the safety net. One wake does what changed, each step one transaction for all that it concerns:
 *
 *     exits → settle → stop → promote → claim → start
 *
 * An attempt is carried from its claim until it is settled: claimed (no process yet) → started (it got its go) → exited
 * (outcome on record, slot free) → swept, settled. It may be killed between any two steps: what is on the board is
 * enough for the next hub to go on, and what never got its go goes back.
 */
class YardDispatcher implements Dispatcher {
  readonly name = 'dispatcher'
  readonly #loop: Loop
  readonly #wakes: WakeLoop
  readonly #disk: DiskWatch
  readonly #lanes: LaneWatch
  readonly #clockWatch: ClockWatch
  readonly #over = new AbortController()
  readonly #idleHeard = new Set<() => void>()
  #waitsForRest = true
  #starts: 'not yet' | 'yes' | 'no more' = 'not yet'
  #startedOnce: Promise<void> | undefined
  #stoppedOnce: Promise<void> | undefined

  constructor(deps: YardDeps, { superviseWith, pollEveryMs, lingerMs = builtInLingerMs }: DispatcherOptions) {
    const wake = () => this.#wakes.request()
    const supervisor = superviseWith(
      hearSupervisor(() => this.#loop, { step: (step, act) => this.#step(step, act), wake }),
    )
    this.#loop = {
      ...deps,
      env: dropOwnMarkers(deps, deps.env),
      supervisor,
      accounts: createAccountMemory(),
      state: createLoopState(),
      lingerMs,
      steps: new Steps({ ...deps, wake }),
      workspaceDeps: workspaceDeps(deps),
      mayStart: () => this.#starts === 'yes',
      wake,
    }
    this.#wakes = createWakeLoop(deps, {
      signal: this.#over.signal,
      pollEveryMs: pollEveryMs ?? builtInPollMs,
      wake: () => this.#wake(),
    })
    const { diskFreeBytes } = deps.config
    this.#disk = new DiskWatch({ ...deps, diskFreeBytes }, { signal: this.#over.signal, wake })
    this.#clockWatch = createClockWatch(deps)
    this.#lanes = new LaneWatch(this.#loop, {
      signal: this.#over.signal,
      fault: (step, fault) => this.#tellFault(step, fault),
    })
  }

  start(): Promise<void> {
    this.#startedOnce ??= this.#start()
    return this.#startedOnce
  }

  async #start(): Promise<void> {
    const { board, supervisor, state } = this.#loop
    await supervisor.start()
    adoptRuns(this.#loop)
    board.onEvents(this.#over.signal, (events) => {
      if (hearBoard(this.#loop, events)) this.#wakes.request()
    })
    clearContainers(this.#loop, {
      signal: this.#over.signal,
      done: () => this.#wakes.request(),
      fault: (fault) => this.#tellFault('containers', fault),
    })
    for (const { id } of board.openBatches()) state.touched.add(id)
    if (this.#starts === 'not yet') this.#starts = 'yes'
    this.#wakes.request()
    const learned = () => this.#wakes.request()
    void learnSecrets(this.#loop, { learned, over: this.#over.signal }).catch((fault) =>
      this.#tellFault('secrets', fault),
    )
    await this.#lanes.start()
  }

  stop(how: StopHow = { workers: 'leave' }): Promise<void> {
    this.#stoppedOnce ??= this.#stop(how)
    return this.#stoppedOnce
  }

  async #stop({ workers }: StopHow): Promise<void> {
    this.#starts = 'no more'
    await this.#startedOnce?.catch(() => {}) // what kept it from starting was told to whoever started it
    this.#step('unstarted', () => giveBackWaiting(this.#loop))
    if (workers === 'end') await this.#endAll()
    await this.#loop.steps.stop()
    this.#over.abort()
    for (const open of this.#loop.state.open.values()) open.over.abort()
    await this.#loop.supervisor.stop()
  }

  async #endAll(): Promise<void> {
    const asked = await endAll(this.#loop, {
      step: (act) => this.#step('stop', act),
      mayWait: () => this.#waitsForRest,
    })
    if (asked === 'all') await this.#idle()
  }

  hurry(): void {
    hurryAll(this.#loop, (act) => this.#step('hurry', act))
  }

  leaveRest(): readonly RunId[] {
    const left = this.#awaited().map(({ id }) => id)
    this.#waitsForRest = false
    this.#tellIdle()
    return left
  }

  leave(): Promise<void> {
    this.#starts = 'no more'
    return this.#idle()
  }

  isLeaving(): boolean {
    return this.#starts === 'no more'
  }

  sampleOf(run: RunId): TreeSample | undefined {
    return this.#loop.supervisor.samples().find((sample) => sample.run === run)
  }

  isHeld(run: RunId): boolean {
    const open = this.#loop.state.open.get(run)
    if (open?.held !== true || open.elsewhere) return false
    return ['held', 'ended_apart'].includes(this.#loop.supervisor.standing(run))
  }

  release(run: RunId, actor: Actor): Release {
    const answer = releaseRun(this.#loop, run, actor)
    if (answer === 'released') this.#wakes.request()
    return answer
  }

  lanes(): readonly LaneCheck[] {
    return this.#lanes.checks()
  }

  #wake(): void {
    const { state, board, clock } = this.#loop
    const beganMs = clock.nowMs()
    let hasEnded = false
    this.#step('exits', () => {
      hasEnded = recordExits(this.#loop)
    })
    // Whoever waits for an end hears of it before others are started: that takes a millisecond for each.
    if (hasEnded) {
      this.#wakes.request()
      return
    }
    this.#step('settle', () => settleRuns(this.#loop))
    this.#step('stop', () => stopRuns(this.#loop))
    this.#step('promote', () => this.#promote())
    this.#step('unstarted', () => recordUnstarted(this.#loop))
    if (this.#starts === 'yes') {
      this.#step('claim', () => {
        if (this.#disk.mayStart()) claimAndStart(this.#loop)
      })
    }
    this.#step('batches', () => {
      endBatches(this.#loop, state.touched)
      state.touched.clear()
    })
    // A time that has come while this wake was at work was not looked at: the next one follows at once.
    this.#step('due', () => this.#wakes.at(board.nextDueMs(beganMs)))
    this.#tellIdle()
  }

  /** After the wall clock was set back, no wait between attempts lasts longer than the longest one (C145). */
  #promote(): void {
    const { board, clock, retryWaits } = this.#loop
    if (this.#clockWatch.wasSetBack()) board.shortenWaits({ latestMs: clock.nowMs() + longestWaitMs(retryWaits) })
    if (board.openDue() > 0) this.#wakes.request() // there may be more than one look takes
  }

  /**
   * A fault of the store or the disk is told and keeps no other step from being taken. A step of a wake meets it again at
   * the next one; whoever tells us of a process goes on with its ladder or sweep. Answers whether it was taken.
   */
  #step(step: string, act: () => void): boolean {
    try {
      act()
      return true
    } catch (fault) {
      this.#tellFault(step, fault)
      return false
    }
  }

  #tellFault(step: string, fault: unknown): void {
    this.#loop.log.error('dispatcher.fault', { step, fault: fault instanceof Error ? fault.stack : String(fault) })
  }

  /** Nothing of it runs, except what nobody can wait for. */
  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleHeard.add(resolve)
      this.#wakes.request()
    })
  }

  #tellIdle(): void {
    if (this.#waitsForRest && this.#awaited().length > 0) return
    for (const resolve of this.#idleHeard) resolve()
    this.#idleHeard.clear()
  }

  #awaited(): readonly OpenRun[] {
    return [...this.#loop.state.open.values()].filter(({ held, isPutOff }) => !held && !isPutOff)
  }
}
