import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import {
  createSupervisor,
  type ExitFacts,
  type LaunchOrder,
  type RunLimits,
  type RunRecord,
  type Supervisor,
} from '../../../src/dispatcher/supervisor/index.ts'
import { type Clock, type RunId, runId, systemClock, systemRandom } from '../../../src/kernel/index.ts'
import {
  buildChildEnvironment,
  formatMarker,
  readMarkers,
  readProcessTable,
  type SignalRecord,
} from '../../../src/kernel/process/index.ts'
import { composeRunFiles, createRunDirectory } from '../../../src/runs/index.ts'
import { waitFor } from '../../wait-for.ts'

/** Path of a program under tests/fixtures/process. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/process/${name}`, import.meta.url))

/** Both ways to start and signal processes; every guarantee holds in both. */
export const ways = ['use', 'avoid'] as const
export type Way = (typeof ways)[number]

export const relaxed: RunLimits = {
  timeoutMs: 60_000,
  stallMs: 'off',
  graceMs: 5_000,
  keeps: false,
  memoryBytes: null,
  logBytes: null,
  logBy: 'worker',
}

export interface Told {
  readonly kind: 'logShortened' | 'found' | 'exited' | 'swept' | 'survivors' | 'overdue' | 'climbing' | 'rung'
  readonly run: RunId
  readonly text?: string
  readonly pids?: readonly number[]
  readonly atMs: number
}

export interface Supervised {
  /** Home of the test's runs, and the folder in which they work. */
  readonly home: string
  readonly supervisor: Supervisor
  readonly told: readonly Told[]
  readonly signals: readonly SignalRecord[]
  /** A run directory and an order for this command; nothing is started. */
  order(
    argv: readonly string[],
    how?: Partial<Pick<LaunchOrder, 'cwd' | 'env' | 'token'>> & Partial<RunLimits>,
  ): LaunchOrder
  /** Launched and let go. */
  run(argv: readonly string[], how?: Parameters<Supervised['order']>[1]): Started
  exited(run: RunId): Promise<ExitFacts>
  swept(run: RunId): Promise<void>
  /** Waits until the log of the run matches, and answers the match. */
  said(run: RunId, what: RegExp): Promise<RegExpExecArray>
  log(run: RunId): string
  adopt(record: RunRecord): ReturnType<Supervisor['adopt']>
}

export interface Started extends LaunchOrder {
  readonly pid: number
  readonly fingerprint: string
}

/** A started supervisor in a home of its own; after the test it is stopped, and nothing that carries its markers may be left. */
export async function openSupervised({
  libc = 'use',
  sampleEveryMs = 50,
  clock = systemClock,
}: {
  libc?: Way
  sampleEveryMs?: number
  clock?: Clock
} = {}): Promise<Supervised> {
  const home = mkdtempSync(join(tmpdir(), 'yard-'))
  const nonce = systemRandom.hex(8)
  const told: Told[] = []
  const signals: SignalRecord[] = []
  const ends = new Map<RunId, ExitFacts>()
  const orders = new Map<RunId, Pick<LaunchOrder, 'runDir' | 'marker'>>()
  const note = (kind: Told['kind'], run: RunId, more: Partial<Told> = {}) =>
    told.push({ kind, run, atMs: systemClock.monotonicMs(), ...more })
  const supervisor = createSupervisor({
    clock,
    sampleEveryMs,
    libc,
    events: {
      exited: (facts) => {
        ends.set(facts.run, facts)
        note('exited', facts.run)
      },
      found: (run, as) => note('found', run, { text: as }),
      swept: (run) => note('swept', run),
      survivors: (run, pids) => note('survivors', run, { pids }),
      logShortened: (run, text) => note('logShortened', run, { text }),
      overdue: (run, kind, text) => note('overdue', run, { text: `${kind}: ${text}` }),
      climbing: (run, rung) => note('climbing', run, { text: rung }),
      rung: (run, rung, { answer }) => note('rung', run, { text: `${rung}: ${answer}` }),
      signalled: (_run, record) => signals.push(record),
    },
  })
  await supervisor.start()
  let last = 0
  const order: Supervised['order'] = (argv, { cwd = home, env = {}, token = null, ...limits } = {}) => {
    last += 1
    const run = runId(last)
    const marker = formatMarker(run, nonce)
    const made = {
      run,
      fence: 7,
      runDir: createRunDirectory(home, run),
      argv,
      cwd,
      env: buildChildEnvironment({ from: process.env, passEnv: [], secrets: {}, env, own: {}, marker }),
      marker,
      token,
      limits: { ...relaxed, ...limits },
    }
    orders.set(run, made)
    return made
  }
  const logOf = (run: RunId) => composeRunFiles(orders.get(run)?.runDir ?? '').log
  const log = (run: RunId) => (existsSync(logOf(run)) ? readFileSync(logOf(run), 'utf8') : '')
  const until = <T>(look: () => T | undefined | false, what: string) =>
    waitFor(() => {
      const found = look()
      if (found === undefined || found === false) throw new Error(`waited in vain for ${what}`)
      return found
    })

  onTestFinished(async () => {
    for (const run of orders.keys()) {
      supervisor.end(run, { source: 'shutdown', reason: 'the test is over', atOnce: true })
    }
    // Stopped by the test it knows nothing any more; and one that was let go, or is held, is nobody's to wait for.
    const isWatched = (run: RunId) =>
      told.some((t) => t.run === run) && !['unknown', 'held', 'ended_apart'].includes(supervisor.standing(run))
    const pending = [...orders.keys()].filter(
      (run) => isWatched(run) && !told.some((t) => t.run === run && /swept|survivors/.test(t.kind)),
    )
    for (const run of pending) await until(() => told.some((t) => t.run === run && t.kind === 'swept'), `${run} swept`)
    await supervisor.stop()
    const left = findMarked(nonce)
    for (const pid of left) process.kill(pid, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
    if (left.length > 0) throw new Error(`processes were left behind: ${left.join(', ')}`)
  })

  return {
    home,
    supervisor,
    told,
    signals,
    order,
    run(argv, how) {
      const made = order(argv, how)
      const launched = supervisor.launch(made)
      if (!launched.ok) throw new Error(`${launched.code}: ${launched.message}`)
      supervisor.go(made.run)
      return { ...made, pid: launched.identity.pid, fingerprint: launched.identity.fingerprint }
    },
    exited: (run) => until(() => ends.get(run), `the exit of ${run}`),
    swept: async (run) => {
      await until(() => told.some((each) => each.run === run && each.kind === 'swept'), `${run} swept`)
    },
    said: (run, what) => until(() => what.exec(log(run)) ?? undefined, `${what} in the log: ${log(run)}`),
    log,
    adopt(record) {
      orders.set(record.run, record)
      return supervisor.adopt(record)
    },
  }
}

/** Pids of live processes whose marker holds this text: an outside look, past the supervisor's books. */
export function findMarked(text: string): readonly number[] {
  return [...(readProcessTable()?.keys() ?? [])].filter((pid) => readMarkers(pid).some((each) => each.includes(text)))
}

/** Whether there is a live process of that number: no zombie. */
export function isAlive(pid: number): boolean {
  return readProcessTable()?.has(pid) === true
}
