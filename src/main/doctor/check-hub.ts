import { existsSync } from 'node:fs'
import type { HealthView } from '../../api/contract/index.ts'
import { systemClock as clock, systemRandom as random, sayActor, YardError } from '../../kernel/index.ts'
import {
  compareFingerprint,
  type LockHolder,
  parseFingerprint,
  readHostIdentity,
  readLockHolder,
  takeKernelLock,
} from '../../kernel/process/index.ts'
import { isElsewhere } from '../elsewhere.ts'
import type { Home } from '../home.ts'
import type { FoundHub } from '../hub-options.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** Who works in the home. A free lock is taken and given back at once; nothing is made where there is none yet. */
export async function checkLock(home: Home, hub: FoundHub | undefined): Promise<readonly Check[]> {
  if (!existsSync(home.lock)) return [ok('lock', 'free; nobody has worked here yet')]
  const holder = readLockHolder(home.note)
  const answer = await takeKernelLock({ clock, random }, { path: home.lock, holderPath: home.note, waitMs: 0 })
  if (answer.kind === 'held') {
    answer.lock.release()
    if (holder === undefined) return [ok('lock', 'free')]
    if (isAlive(holder)) {
      const fix = 'what runs for that one is held here, never signalled: yardmaster why'
      return [warn('lock', `free; this home is a copy of one where a hub works (pid ${holder.pid})`, fix)]
    }
    if (isElsewhere(home, holder)) {
      const fix = 'what it had started is held here, never signalled: yardmaster why, once a hub is up'
      return [
        warn('lock', `free; the last hub worked on ${holder.host}, another machine (pid ${holder.pid} there)`, fix),
      ]
    }
    const fix = 'nothing to mend: the next hub adopts what runs. Start it: yardmaster up -d'
    return [warn('lock', `free; the last hub (pid ${holder.pid}) was stopped without a farewell`, fix)]
  }
  if (hub !== undefined) return [ok('lock', `held by the hub (pid ${hub.pid})`)]
  if (holder !== undefined && isElsewhere(home, holder)) {
    const fix = `use it on ${holder.host}, or stop it there: yardmaster down`
    return [bad('lock', `held by another machine (${holder.host}, pid ${holder.pid} there)`, fix)]
  }
  const who = holder === undefined ? 'another process' : `another process (pid ${holder.pid} wrote the note)`
  return [
    warn('lock', `held by ${who}, which answers nothing`, 'wait a moment: a command may be at work. Then look again'),
  ]
}

/** A hub that lives has the lock of its own home: then its note was copied, with all the rest. */
function isAlive({ fingerprint }: LockHolder): boolean {
  const noted = parseFingerprint(fingerprint ?? '')
  return noted !== undefined && compareFingerprint(readHostIdentity(), noted) === 'same'
}

export interface HubLook {
  /** What finding it threw, where that is what happened. */
  readonly hub: FoundHub | YardError | undefined
  readonly health: HealthView | undefined
  readonly version: string
}

export function checkHub({ hub, health, version }: HubLook): readonly Check[] {
  if (hub instanceof YardError) return [bad('hub', hub.message, hub.fix)]
  if (hub === undefined || health === undefined)
    return [ok('hub', 'none is up, so nothing starts. Start one: yardmaster up -d')]
  const { slots, holds, draining, leaving } = health
  const says = `pid ${hub.pid} answers at http://127.0.0.1:${hub.port}, ${slots.used} of ${slots.total} slots taken`
  const checks: Check[] = []
  if (health.version === version) checks.push(ok('hub', says))
  else {
    const fix = 'put this one in its place, attempts go on: yardmaster up --replace (a service: restart that)'
    checks.push(warn('hub', `${says}; its version is ${health.version}, this program's ${version}`, fix))
  }
  const all = holds.find(({ scope, kind }) => scope === 'all' && kind === 'pause')
  if (all !== undefined) {
    const why = all.text === null ? '' : `: ${all.text}`
    checks.push(warn('pause', `nothing new starts, paused by ${sayActor(all.by)}${why}`, 'yardmaster resume'))
  } else if (draining)
    checks.push(
      leaving
        ? warn('pause', 'nothing new starts: the hub is being stopped', 'yardmaster up -d once it is gone')
        : warn('pause', 'nothing new starts: it drains', 'yardmaster resume'),
    )
  const told = all?.text ?? null
  const notes = (health.hub?.notes ?? []).filter((note) => told === null || !note.includes(told))
  return [
    ...checks,
    ...notes.map((note) =>
      warn('start', note, 'it was said at the start of this hub, too, and is looked at afresh by the next'),
    ),
  ]
}

/** Kills and crashes of hubs, as far as the hub that is up knows them. */
export function checkStops(health: HealthView | undefined): readonly Check[] {
  const stops = health?.unclean_stops_24h
  if (stops === undefined) return []
  if (stops === 0) return [ok('stops', 'no hub was killed in the last 24 hours')]
  const says = stops === 1 ? 'a hub was' : `hubs were`
  const times = stops === 1 ? 'once' : `${stops} times`
  const fix =
    'attempts were adopted each time; look for out of memory in dmesg, or in log/hub.log and log/up.log of the home'
  return [warn('stops', `${says} stopped without a farewell ${times} in the last 24 hours`, fix)]
}
