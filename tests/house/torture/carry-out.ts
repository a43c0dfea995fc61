import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { assertNever } from '../../../src/kernel/index.ts'
import { fillDisk, injectErrors, limitFiles } from './fault-of-machine.ts'
import { bootAnew, reusePids } from './fault-of-namespace.ts'
import { startSecondHub } from './fault-of-second-hub.ts'
import type { Fault } from './faults.ts'
import type { HubLives } from './hub-lives.ts'
import type { Yard } from './lay-out-yard.ts'
import type { Ledger } from './ledger.ts'
import type { RoundPlan } from './plan-round.ts'
import { isAlive, type SeenProcess, scanYard, uptimeSeconds } from './scan-processes.ts'
import { signalIfThere } from './signal-if-there.ts'
import type { Strangers } from './strangers.ts'
import type { World } from './world.ts'

/** What a fault works with. */
export interface UnderFire {
  readonly plan: RoundPlan
  readonly yard: Yard
  readonly world: World
  readonly lives: HubLives
  readonly strangers: Strangers
  readonly ledger: Ledger
  readonly product: readonly string[]
}

/** Does it. False: there was nobody to do it to. */
export async function carryOut(fire: UnderFire, fault: Fault): Promise<boolean> {
  const { yard, lives } = fire
  switch (fault.kind) {
    case 'kill_hub':
      if (lives.pid() === undefined) return false
      await lives.kill()
      return true
    case 'term_then_kill':
      if (lives.pid() === undefined) return false
      lives.signal('SIGTERM')
      await Promise.race([lives.gone(), wait(fault.killAfterMs)])
      await lives.kill()
      return true
    case 'restarts':
      for (const ms of fault.afterMs) {
        await wait(ms)
        await lives.kill()
      }
      return true
    case 'kill_shim':
      return fault.hub === 'is_parent' ? killShimOfHub(fire, fault.pick) : killShimWithoutHub(fire, fault.pick)
    case 'kill_worker':
      return killOne(fire, 'worker', fault.pick)
    case 'kill_descendant':
      return killOne(fire, 'descendant', fault.pick)
    case 'freeze_hub':
      if (lives.pid() === undefined) return false
      lives.signal('SIGSTOP')
      await wait(fault.forMs)
      lives.signal('SIGCONT')
      return true
    case 'freeze_worker':
      return freeze(pickOne(targets(yard, 'worker'), fault.pick)?.pid, fault.forMs)
    case 'step_clock':
      writeFileSync(yard.clock, String(fault.byMs))
      return true
    case 'fill_disk':
      return fillDisk(fire, fault)
    case 'io_error':
      return injectErrors(fire, fault)
    case 'few_files':
      return limitFiles(fire, fault)
    case 'second_hub':
      return startSecondHub(fire, fault)
    case 'reuse_pids':
      return reusePids(fire, fault)
    case 'reboot':
      return bootAnew(fire, fault)
    default:
      return assertNever(fault)
  }
}

/** Members of attempts that live now, of one role. */
export function targets({ folder }: Pick<Yard, 'folder'>, role: SeenProcess['role']): readonly SeenProcess[] {
  return scanYard(folder).filter((seen) => seen.role === role && seen.run !== null)
}

export function pickOne<T>(rows: readonly T[], pick: number): T | undefined {
  return rows[Math.floor(pick * rows.length)]
}

/** Kills it if it is still the one that was seen, and writes down what that explains. */
export function killSeen({ ledger }: Pick<UnderFire, 'ledger'>, seen: SeenProcess, hub: 'parent' | 'none'): boolean {
  if (!isAlive(seen) || !signalIfThere(seen.pid, 'SIGKILL')) return false
  if (seen.run !== null && seen.role !== 'hub') {
    ledger.hits.push({ run: Number(seen.run.slice(1)), role: seen.role, hub, atS: uptimeSeconds() })
  }
  return true
}

/** With the hub held still, so that it is its parent in the very moment. */
async function killShimOfHub(fire: UnderFire, pick: number): Promise<boolean> {
  const { lives, yard } = fire
  const hub = lives.pid()
  if (hub === undefined) return false
  lives.signal('SIGSTOP')
  try {
    const shim = pickOne(
      targets(yard, 'shim').filter(({ parent }) => parent === hub),
      pick,
    )
    return shim !== undefined && killSeen(fire, shim, 'parent')
  } finally {
    lives.signal('SIGCONT')
  }
}

async function killShimWithoutHub(fire: UnderFire, pick: number): Promise<boolean> {
  const release = fire.lives.hold()
  try {
    await fire.lives.kill()
    const shim = pickOne(targets(fire.yard, 'shim'), pick)
    return shim !== undefined && killSeen(fire, shim, 'none')
  } finally {
    release()
  }
}

function killOne(fire: UnderFire, role: 'worker' | 'descendant', pick: number): boolean {
  const seen = pickOne(targets(fire.yard, role), pick)
  return seen !== undefined && killSeen(fire, seen, 'none')
}

async function freeze(pid: number | undefined, forMs: number): Promise<boolean> {
  if (pid === undefined || !signalIfThere(pid, 'SIGSTOP')) return false
  await wait(forMs)
  signalIfThere(pid, 'SIGCONT')
  return true
}
