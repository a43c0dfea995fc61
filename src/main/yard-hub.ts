import type { Client } from '../api/client/index.ts'
import { ApiServer, type DispatcherView } from '../api/index.ts'
import type { Board } from '../board/index.ts'
import { builtInRetryWaits, createDispatcher, createKeeper, type Dispatcher, type Keeper } from '../dispatcher/index.ts'
import { adviseOnOrphans, createSupervisor } from '../dispatcher/supervisor/index.ts'
import {
  crashPoint,
  isCi,
  type RunId,
  type Service,
  stopAll,
  systemClock,
  systemRandom,
  type YardError,
} from '../kernel/index.ts'
import {
  captureFingerprint,
  formatFingerprint,
  type KernelLock,
  type Machine,
  readHostIdentity,
  unverified,
} from '../kernel/process/index.ts'
import { userName } from './find-hub.ts'
import { type Replaced, sayHandOver } from './hand-over.ts'
import { type Home, keepPort, readKeptPort, removeHubNote, writeHubNote } from './home.ts'
import type { HubLog } from './hub-log.ts'
import type { DownMode, Hub, HubOptions } from './hub-options.ts'
import type { LearningMask } from './known-secrets.ts'
import { noticeLostStore } from './lost-store.ts'
import { recordStart } from './record-start.ts'
import { readRetryWaits } from './retry-waits.ts'
import { sayDisk } from './say-disk.ts'
import { buildYardView, programFolder } from './yard-facts.ts'
import { yardLimits } from './yard-limits.ts'

/** The usual address of `up`; a home keeps the one it got (design section 6, adoption). */
const usualPort = 7420
const sampleEveryMs = 2_000
/** Built-in grace between the two signals: 10 s; a `run` in CI has less time (files-and-cli section 4). */
const graceMs = { usual: 10_000, ciRun: 3_000 }
/** Longer than any ladder: stopping with `end` waits for graces. */
const stopWithinMs = 15 * 60_000
const lookAtLockEveryMs = 1_000

const clock = systemClock
const random = systemRandom

/** What a hub works with: opened before it, closed with it. */
export interface Opened {
  readonly options: HubOptions
  readonly home: Home
  readonly lock: KernelLock
  readonly log: HubLog
  readonly board: Board
  readonly secrets: LearningMask
  readonly token: string
  readonly machine: Machine
  /** Random, of this one start: tells it from others that share host name and pid. */
  readonly instance: string
  /** The hub that handed over to this one. */
  readonly after: Replaced | undefined
}

/**
 * A hub that serves. Up: the API answers first (health, while runs are adopted), then the dispatcher starts. Down: the
 * dispatcher first, so that the ends of what it stops are still told, then the API, then store, log and lock.
 */
export class YardHub implements Hub {
  readonly #opened: Opened
  readonly #dispatcher: Dispatcher
  readonly #keeper: Keeper
  readonly #api: ApiServer
  readonly #over = new AbortController()
  readonly client: Client
  readonly downAsked: Promise<DownMode>
  #downIsDone: (mode: DownMode) => void = () => {}
  #downHasFailed: (why: YardError) => void = () => {}
  #stopping: Promise<void> | undefined
  #isClosed = false
  /** Why there is no store any more. */
  #lost: YardError | undefined
  #notes: readonly string[] = []
  #port = 0

  constructor(opened: Opened) {
    this.#opened = opened
    const { options, home, log, board, secrets, token, machine, instance } = opened
    const { config, self, purpose } = options
    // Each look into the process's own environment asks the system; it does not change while a hub works.
    const env = { ...options.env }
    const builtInGraceMs = purpose === 'run' && isCi(env) ? graceMs.ciRun : graceMs.usual
    const retryWaits = readRetryWaits(env) ?? builtInRetryWaits
    const program = programFolder(self)
    this.#dispatcher = createDispatcher(
      {
        board,
        clock,
        random,
        log,
        hub: { machine: machine.id, instance },
        address: () => `http://127.0.0.1:${this.#port}`,
        config,
        env,
        learnedSecrets: secrets.known,
        home: home.path,
        program,
        self,
        retryWaits,
        builtInGraceMs,
      },
      {
        superviseWith: (events) =>
          createSupervisor({ clock, events, sampleEveryMs, orphans: options.orphans ?? 'live' }),
      },
    )
    this.#keeper = createKeeper({ board, clock, random, log, home: home.path, program, keep: config.keep, env })
    const dispatcher: DispatcherView = {
      isLeaving: () => this.#dispatcher.isLeaving(),
      isHeld: (run) => this.#dispatcher.isHeld(run),
      release: (run, actor) => this.#dispatcher.release(run, actor),
      // A last line of output is not shown before what must be masked in it is known.
      sampleOf: (run) => (secrets.knows() ? this.#dispatcher.sampleOf(run) : undefined),
      down: (mode) => void this.#goDown(mode),
    }
    const laneSays = (name: string) => this.#dispatcher.lanes().find((lane) => lane.name === name)
    const about = { instance, host: machine.host, startedBy: options.startedBy ?? 'person', notes: () => this.#notes }
    const facts = { ...options, home, pid: process.pid, builtInGraceMs, dispatcher, laneSays, about }
    const yard = buildYardView({ board }, facts)
    const preferredPort = readKeptPort(home) ?? (purpose === 'up' ? usualPort : 0)
    const { mask, known: knownSecrets, learn: learnSecrets } = secrets
    this.#api = new ApiServer(
      { board, yard, mask, knownSecrets, learnSecrets, clock, random, log },
      { token, preferredPort },
    )
    this.client = this.#api.connect(userName())
    this.downAsked = new Promise((resolve, reject) => {
      this.#downIsDone = resolve
      this.#downHasFailed = reject
    })
    this.downAsked.catch(() => {}) // told to whoever waits; not everybody does
  }

  /** Stays after the stop: people are told where it was. */
  get port(): number {
    return this.#port
  }

  async start(): Promise<this> {
    const { options, home, board, log, lock, secrets, machine, instance, after } = this.#opened
    const { version, startedBy = 'person' } = options
    try {
      const start = { instance, machine: machine.id, host: machine.host, pid: process.pid, version, startedBy }
      const orphans = await adviseOnOrphans({ hubPid: process.pid })
      if (orphans !== undefined) log.warn('hub.orphans', { advice: orphans })
      const found = [sayDisk(home, options.config), orphans].filter((note) => note !== undefined)
      this.#notes = [...recordStart({ home, board, log }, start), ...found]
      crashPoint('hub.recorded')
      void secrets.learn().catch((fault) => log.error('secrets.not_learned', { err: fault }))
      board.applyLimits(yardLimits(options.config))
      if (options.paused)
        board.setHold({ scope: 'all', name: null, kind: 'pause', text: 'started paused' }, { by: userName() })
      await this.#api.start()
      this.#port = this.#api.port
      keepPort(home, this.port)
      writeHubNote(home, {
        pid: process.pid,
        port: this.port,
        fingerprint: ownFingerprint(),
        machine: machine.id,
        host: machine.host,
        started: iso(clock.nowMs()),
      })
      if (after !== undefined) this.#notes = [sayHandOver(after, clock.monotonicMs()), ...this.#notes]
      const text = `hub ${version} started (pid ${process.pid})`
      board.record({ kind: 'hub.started', text, data: { pid: process.pid, version } }, { by: 'hub' })
      await this.#dispatcher.start()
      await this.#keeper.start()
      log.info('hub.started', { pid: process.pid, port: this.port, version, instance, home: home.path })
      clock.every(lookAtLockEveryMs, this.#over.signal, () => this.#leaveIfHomeIsGone(lock))
      return this
    } catch (fault) {
      await this.#stopServices({ workers: 'leave' }).catch((second) => log.error('hub.not_stopped', { err: second }))
      removeHubNote(home)
      try {
        board.recordHubStop(instance)
      } catch (second) {
        log.error('hub.stop_not_recorded', { err: second }) // the first fault is the one to tell
      }
      throw fault
    }
  }

  stop(how: { readonly workers: 'leave' | 'end' }): Promise<void> {
    this.#stopping ??= this.#stopAll(how)
    return this.#stopping
  }

  hurry(): void {
    if (!this.#isClosed) this.#dispatcher.hurry()
  }

  leaveRest(): readonly RunId[] {
    return this.#isClosed ? [] : this.#dispatcher.leaveRest()
  }

  async #stopAll(how: { readonly workers: 'leave' | 'end' }): Promise<void> {
    const { home, lock, log, board, instance } = this.#opened
    const isOurHome = lock.isStillOurs()
    this.#over.abort()
    const faults: unknown[] = []
    await this.#stopServices(how).catch((fault) => faults.push(fault))
    this.#isClosed = true
    const isOurStore = board.findLoss() === undefined
    for (const close of [
      () =>
        isOurStore && board.record({ kind: 'hub.stopped', text: `hub stopped (pid ${process.pid})` }, { by: 'hub' }),
      () => isOurStore && board.recordHubStop(instance),
      () => board.close(),
      () => isOurHome && removeHubNote(home),
      () => log.info('hub.stopped', { workers: how.workers, faults: faults.map(String) }),
      () => log.close(),
      () => lock.release(),
    ]) {
      try {
        close()
      } catch (fault) {
        faults.push(fault) // one part that does not close must not keep the others open
      }
    }
    if (faults.length > 0) throw new AggregateError(faults, 'the hub did not stop cleanly')
  }

  #stopServices(how: { readonly workers: 'leave' | 'end' }): Promise<void> {
    const dispatcher = this.#dispatcher
    const dispatching: Service = {
      name: dispatcher.name,
      start: () => dispatcher.start(),
      stop: () => dispatcher.stop(how),
    }
    // The last one stops first, and at once: nothing is claimed after a stop was asked for (C42).
    return stopAll([this.#api, this.#keeper, dispatching], stopWithinMs)
  }

  async #goDown(mode: DownMode): Promise<void> {
    this.#opened.log.info('hub.down_asked', { mode })
    if (mode === 'drain') await this.#dispatcher.leave()
    await this.#stopAndTell({ workers: mode === 'now' ? 'end' : 'leave' }, mode)
  }

  /** Whoever waits for the end is told of it also when something would not close; the fault is in the log. */
  async #stopAndTell(how: { readonly workers: 'leave' | 'end' }, mode: DownMode): Promise<void> {
    try {
      await this.stop(how)
    } catch (fault) {
      this.#opened.log.error('hub.not_stopped', { err: fault })
    }
    if (this.#lost === undefined) this.#downIsDone(mode)
    else this.#downHasFailed(this.#lost)
  }

  /** Somebody removed or replaced the home: a second hub is possible now, so this one leaves everything to it. */
  #leaveIfHomeIsGone(lock: KernelLock): void {
    const { board, log, home } = this.#opened
    if (this.#lost !== undefined) return
    this.#lost = noticeLostStore({ board, log })
    if (this.#lost === undefined && lock.isStillOurs()) return
    if (!lock.isStillOurs()) log.error('home.lost', { home: home.path })
    void this.#stopAndTell({ workers: 'leave' }, 'drain')
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()

function ownFingerprint(): string {
  const captured = captureFingerprint(readHostIdentity(), process.pid)
  return captured === undefined ? unverified : formatFingerprint(captured)
}
