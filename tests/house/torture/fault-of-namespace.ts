import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { killSeen, pickOne, type UnderFire } from './carry-out.ts'
import { createDice } from './dice.ts'
import type { Fault } from './faults.ts'
import { scanYard, uptimeSeconds } from './scan-processes.ts'

/**
 * Kills the hub and all of some attempts, and puts strangers on the numbers of their shims and workers: what the next
 * hub finds on record is somebody else.
 */
export async function reusePids(fire: UnderFire, { most, picks }: Extract<Fault, { kind: 'reuse_pids' }>) {
  const { lives, yard, strangers } = fire
  const release = lives.hold()
  try {
    await lives.kill()
    const seen = scanYard(yard.folder)
    const shims = seen.filter(({ role, run }) => role === 'shim' && run !== null)
    const chosen = new Set(picks.slice(0, most).map((pick) => pickOne(shims, pick)?.run))
    const doomed = seen.filter(({ run }) => run !== null && chosen.has(run))
    const numbers = doomed.map((one) => ({ one, inner: innerPid(one.pid) }))
    for (const { one } of numbers) killSeen(fire, one, 'none')
    let reused = 0
    for (const { one, inner } of numbers) {
      if (inner === undefined || !(await isGone(one.pid))) continue // an init that collects nobody keeps the number
      const got = await strangers.sitOn(inner, one.role === 'shim' ? 'leads' : 'follows')
      if (got === inner) reused += 1
    }
    return reused > 0
  } finally {
    release()
  }
}

/** Ends the namespace with all in it, and begins another one, with the same boot id or another. */
export async function bootAnew(fire: UnderFire, { boot }: Extract<Fault, { kind: 'reboot' }>) {
  const { lives, world, strangers, ledger, plan } = fire
  const release = lives.hold()
  try {
    await lives.kill()
    strangers.forgiveAll()
    ledger.worldEndsS.push(uptimeSeconds())
    await world.reboot(boot === 'other_id' ? bootId(plan.seed, ledger.worldEndsS.length) : null)
    return true
  } finally {
    release()
  }
}

function bootId(seed: number, boots: number): string {
  const { hex } = createDice(seed, `boot ${boots}`)
  return [8, 4, 4, 4, 12].map(hex).join('-')
}

/** Its number in its innermost namespace. */
function innerPid(pid: number): number | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8')
      .split('\n')
      .find((text) => text.startsWith('NSpid:'))
    return Number(line?.trim().split(/\s+/).at(-1))
  } catch {
    return undefined // gone meanwhile
  }
}

/** Collected, so that its number is free. Not where the init collects nobody. */
async function isGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 50; look += 1) {
    if (!isThere(pid)) return true
    await wait(2)
  }
  return false
}

function isThere(pid: number): boolean {
  try {
    readFileSync(`/proc/${pid}/stat`)
    return true
  } catch {
    return false
  }
}
