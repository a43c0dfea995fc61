import type { RunId } from '../../kernel/index.ts'
import {
  type CgroupBase,
  createNamespaceLook,
  findCgroups,
  type IsNamespaceOver,
  loadLibc,
  readHostIdentity,
  removeEmptyCgroups,
  type SignalDeps,
  type SignalRecord,
} from '../../kernel/process/index.ts'
import { AdoptedWatch } from './adopted-watch.ts'
import type { LadderDeps } from './climb-ladder.ts'
import type { SupervisorOptions } from './contract.ts'
import { supervisorError } from './errors.ts'
import type { LimitDeps } from './limit-watch.ts'
import { LogKeeper } from './log-keeper.ts'
import { createOomWatch, type OomWatch } from './oom-watch.ts'
import { SampleBeat } from './sample-beat.ts'
import { createSnapshots, type TakeSnapshot } from './snapshot.ts'
import { createSpawner, findDeathSignal, type ShimSpawner } from './spawn-shim.ts'
import { createStepWatch } from './step-watch.ts'
import { Sweeper } from './sweeper.ts'
import type { WatchedRun } from './watched-run.ts'

/** What a supervisor works with between its start and its stop. */
export interface SupervisorParts {
  readonly signals: SignalDeps
  readonly snapshot: TakeSnapshot
  readonly isNamespaceOver: IsNamespaceOver
  readonly spawner: ShimSpawner
  readonly deathSignal: readonly string[]
  readonly cgroups: CgroupBase | undefined
  readonly sweeper: Sweeper
  readonly adopted: AdoptedWatch
  readonly ladder: LadderDeps
  readonly limits: LimitDeps
  readonly logs: LogKeeper
  readonly beat: SampleBeat
  readonly oom: OomWatch
}

/** Where the parts tell what they find. */
export interface PartsHearing {
  running(): readonly WatchedRun[]
  /** The shim of an adopted run is gone. */
  gone(run: WatchedRun): void
  /** Its tree is empty. */
  swept(run: WatchedRun): void
}

/** Finds out what this machine offers, and starts what watches. Throws `SUPERVISOR_CANNOT_DIE_WITH_US`. */
export async function buildParts(options: SupervisorOptions, hearing: PartsHearing): Promise<SupervisorParts> {
  const { clock, events, sampleEveryMs, orphans } = options
  const found = findDeathSignal() // in programs of its own, while koffi loads
  const libc = options.libc === 'avoid' ? undefined : await loadLibc()
  const deathSignal = await found
  if (orphans === 'die' && deathSignal.length === 0) throw supervisorError('SUPERVISOR_CANNOT_DIE_WITH_US', {})
  const host = readHostIdentity()
  const signals = { host, libc }
  const snapshot = createSnapshots(hearing)
  const delegated = findCgroups()
  const cgroups = delegated.ok ? delegated.base : undefined
  if (cgroups !== undefined) removeEmptyCgroups(cgroups, { nowMs: clock.nowMs() })
  const signalled = (run: RunId, records: readonly SignalRecord[]) => {
    for (const record of records) events.signalled?.(run, record)
  }
  const spawner = createSpawner({ clock, libc })
  const adopted = new AdoptedWatch({ clock, host, onGone: hearing.gone })
  const lookFresh = () => {
    spawner.look()
    adopted.look()
  }
  const steps = createStepWatch({ clock })
  const limits = { clock, lookFresh, steps, events }
  const logs = new LogKeeper({
    clock,
    host,
    libc,
    everyMs: sampleEveryMs,
    events: {
      logShortened: (...told) => events.logShortened?.(...told),
      logFault: (...told) => events.logFault?.(...told),
    },
  })
  const sweeper = new Sweeper({
    clock,
    signals,
    snapshot,
    events: { swept: hearing.swept, survivors: (...told) => events.survivors(...told), signalled },
  })
  const ladder: LadderDeps = {
    clock,
    signals,
    snapshot,
    events: {
      climbing: (...told) => events.climbing(...told),
      rung: (...told) => events.rung(...told),
      signalled,
    },
  }
  const oom = createOomWatch()
  const isNamespaceOver = createNamespaceLook(host)
  const beat = new SampleBeat({
    clock,
    host,
    snapshot,
    limits,
    logs,
    everyMs: sampleEveryMs,
    onBeat: () => {
      oom.note()
      steps.look()
    },
    running: hearing.running,
  })
  return {
    signals,
    snapshot,
    isNamespaceOver,
    spawner,
    deathSignal,
    cgroups,
    sweeper,
    adopted,
    ladder,
    limits,
    logs,
    beat,
    oom,
  }
}
