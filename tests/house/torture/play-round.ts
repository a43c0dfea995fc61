import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Books, connect, findPrivateHome, lookAfter, readBooks } from './books.ts'
import { carryOut, type UnderFire } from './carry-out.ts'
import { HubLives, isRun, startLife } from './hub-lives.ts'
import { layOutYard } from './lay-out-yard.ts'
import { countOne, type Ledger, openLedger } from './ledger.ts'
import { endAll, findLeftovers, type Leftovers } from './leftovers.ts'
import type { RoundPlan } from './plan-round.ts'
import { countDefunct, readStat } from './scan-processes.ts'
import { type StrangerRecord, Strangers } from './strangers.ts'
import { readTraces, type Traces } from './traces.ts'
import { openWorld } from './world.ts'

/** Everything that was seen of a round, from outside and in the books. */
export interface Played {
  readonly plan: RoundPlan
  readonly ledger: Ledger
  readonly traces: Traces
  /** Undefined when the yard could not be asked at the end. */
  readonly books: Books | undefined
  readonly strangers: readonly StrangerRecord[]
  readonly leftovers: Leftovers
  /** Why the round was given up, where it was. */
  readonly broken: string | null
  readonly tookMs: number
  /** Kept for whoever wants to look. */
  readonly folder: string | null
}

export interface RoundTimes {
  /** Faults come for so long at most; then the yard is left in peace. */
  readonly faultsMs: number
  /** And has so long to come to its end. */
  readonly peaceMs: number
}

export interface RoundDeps {
  /** The built product: `node bin.cjs`. */
  readonly product: readonly string[]
  readonly stop: AbortSignal
  /** Told of each step, for whoever looks for the reason of a finding. */
  tell(step: string): void
}

/** Lays out a yard, lets it work under the planned faults, waits for its end and looks at what is there. */
export async function playRound(
  { product, stop, tell }: RoundDeps,
  { plan, times, keep }: { readonly plan: RoundPlan; readonly times: RoundTimes; readonly keep: boolean },
): Promise<Played> {
  const beganMs = performance.now()
  const ledger = openLedger()
  const yard = layOutYard(plan)
  const world = await openWorld(plan, yard)
  const strangers = new Strangers({ yard, world })
  const lives = new HubLives({ plan, yard, world, ledger, product })
  const fire: UnderFire = { plan, yard, world, lives, strangers, ledger, product }
  let books: Books | undefined
  let heard: readonly StrangerRecord[] = []
  let leftovers: Leftovers = { processes: [], ports: [], files: [] }
  let broken: string | null = null
  let traces: Traces = new Map()
  const played = new AbortController()
  try {
    for (let run = 1; run <= plan.strangers; run += 1) await strangers.add(run)
    tell('starts')
    lives.start()
    if (!isRun(plan)) await submit(fire, stop)
    tell('handed over')
    const over = watchEnd(fire, AbortSignal.any([stop, played.signal]))
    await fireAway(fire, { over, faultsMs: times.faultsMs, tell, stop })
    tell('left in peace')
    await restore(fire)
    if (!(await over.within(times.peaceMs))) broken = `not at its end ${times.peaceMs / 1_000} s after the last fault`
    stop.throwIfAborted()
    tell('reads the books')
    books = await readAtEnd(fire, broken === null ? times.peaceMs : 5_000)
    heard = await strangers.close()
    tell('looks for what is left')
    leftovers = await findLeftovers(yard)
  } catch (fault) {
    broken = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
  } finally {
    played.abort()
    await lives.destroy()
    if (heard.length === 0) heard = await strangers.close()
    traces = readTraces(yard.traces)
    endAll(yard) // whoever escaped or was kept: no fault of the yard
    tell('closes')
    await world.close()
    if (!keep) yard.remove()
  }
  const tookMs = performance.now() - beganMs
  return { plan, ledger, traces, books, strangers: heard, leftovers, broken, tookMs, folder: keep ? yard.folder : null }
}

/** Hands the batch over; again when the hub dies meanwhile: it has a key, so that it is made only once. */
async function submit(fire: UnderFire, stop: AbortSignal): Promise<void> {
  for (let tries = 0; tries < 40 && !stop.aborted; tries += 1) {
    const life = startLife({ ...fire, ledger: openLedger() }, ['run', fire.yard.batchFile, '--detach'])
    if ((await life.ended) === 0) return
    await wait(100)
    if (tries === 39)
      throw new Error(
        `the batch could not be handed over: ${life.said()}; the hub had ended with ${fire.lives.lastWords}`,
      )
  }
}

interface EndWatch {
  readonly isOver: () => boolean
  within(ms: number): Promise<boolean>
}

/** Asks from time to time whether the batch has ended, and looks at defunct children of the hub on the way. */
function watchEnd({ plan, yard, lives, ledger }: UnderFire, stop: AbortSignal): EndWatch {
  let isOver = false
  let wasStopped = false
  const over = (async () => {
    while (!isOver && !stop.aborted) {
      await wait(100)
      const pid = lives.pid()
      const isStopped = pid !== undefined && readStat(pid)?.state === 'T'
      // One that was stopped collects its children a moment after it goes on.
      if (pid !== undefined && !isStopped && !wasStopped) {
        ledger.defunctMost = Math.max(ledger.defunctMost, countDefunct(pid))
      }
      wasStopped = isStopped
      if (isRun(plan)) isOver = lives.verdict !== undefined
      else {
        const client = await connect(yard.home)
        isOver = client !== undefined && (await lookAfter(client).catch(() => false)) // the hub has just gone
      }
    }
  })()
  return {
    isOver: () => isOver,
    within: (ms) => Promise.race([over.then(() => isOver), wait(ms, false, { ref: false })]),
  }
}

/** A hub that was killed at its start has done nothing that could be cut: that is what `restarts` are for. */
const longestStartMs = 3_000

async function fireAway(
  fire: UnderFire,
  {
    over,
    faultsMs,
    tell,
    stop,
  }: Pick<RoundDeps, 'tell' | 'stop'> & Pick<RoundTimes, 'faultsMs'> & { readonly over: EndWatch },
): Promise<void> {
  const untilMs = performance.now() + faultsMs
  for (const { afterMs, fault } of fire.plan.faults) {
    if (!isRun(fire.plan) && fault.kind !== 'restarts') await fire.lives.serves(longestStartMs)
    await over.within(afterMs)
    if (over.isOver() || stop.aborted || performance.now() >= untilMs) return
    tell(`begins ${fault.kind}`)
    const isDone = await carryOut(fire, fault)
    tell(`${isDone ? 'did' : 'found nobody for'} ${JSON.stringify(fault)}`)
    if (isDone) countOne(fire.ledger.faults, fault.kind)
  }
}

/** The clock is right again; whoever is held because nothing can be told across namespaces is told by another boot. */
async function restore(fire: UnderFire): Promise<void> {
  const { lives, plan, yard } = fire
  writeFileSync(yard.clock, '0')
  lives.rearm(plan.lastArm)
  if (plan.lastArm !== null) await lives.kill()
  if ((fire.ledger.faults.reboot ?? 0) > 0) await carryOut(fire, { kind: 'reboot', boot: 'other_id' })
}

/** A hub that is up is asked; after `run` one is started for it. Then it is stopped as people stop it. */
async function readAtEnd(fire: UnderFire, peaceMs: number): Promise<Books | undefined> {
  const { plan, yard, lives, ledger } = fire
  const home = isRun(plan) ? findPrivateHome(yard.home) : yard.home
  if (home === undefined) return undefined
  if (isRun(plan)) await lives.stop()
  const reader = isRun(plan)
    ? startLife({ ...fire, yard: { ...yard, env: { ...yard.env, YARDMASTER_HOME: home } } }, ['up'])
    : undefined
  const untilMs = performance.now() + peaceMs
  while (performance.now() < untilMs) {
    const client = await connect(home)
    const isOver = client !== undefined && (await lookAfter(client).catch(() => false))
    const isGivenUp = performance.now() > untilMs - 1_000
    const books =
      client !== undefined && (isOver || isGivenUp) ? await readBooks(client).catch(() => undefined) : undefined
    if (books !== undefined) {
      ledger.defunctAtEnd = await countLeftDefunct(lives.pid())
      const ended = reader === undefined ? await lives.stop() : await stopReader(reader)
      if (ended !== 0) ledger.seen.push({ kind: 'strange', says: `the last hub ended with ${ended} after TERM` })
      return books
    }
    await wait(100)
  }
  reader?.child.kill('SIGKILL')
  return undefined
}

/** After an end a hub takes a moment to collect its children. */
async function countLeftDefunct(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0
  for (let look = 0; look < 40 && countDefunct(pid) > 0; look += 1) await wait(50)
  return countDefunct(pid)
}

function stopReader(reader: ReturnType<typeof startLife>): Promise<number | string> {
  reader.child.kill('SIGTERM')
  return reader.ended
}
