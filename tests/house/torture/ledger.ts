import type { FaultKind } from './faults.ts'

/** A process of an attempt that was killed from outside. */
export interface Hit {
  readonly run: number
  readonly role: 'shim' | 'worker' | 'descendant'
  /** Whether a hub was the shim's parent in that moment. */
  readonly hub: 'parent' | 'none'
  readonly atS: number
}

/** A time in which the machine gave the hub less than it needs, in seconds since boot. */
export interface Shortage {
  readonly fromS: number
  toS: number
}

/** What was done to the yard in one round, and when: what explains an end that the worker did not choose. Seconds since boot. */
export interface Ledger {
  readonly hits: Hit[]
  /** Of hubs, however they went. */
  readonly hubDeathsS: number[]
  /** Everything in a namespace ended at once. */
  readonly worldEndsS: number[]
  readonly shortages: Shortage[]
  /** How often each fault was carried out; one that found nobody to hit is not counted. */
  readonly faults: Partial<Record<FaultKind | 'crash_point', number>>
  readonly crashPoints: Record<string, number>
  /** What was seen on the way that must not be, as sentences. */
  readonly seen: { readonly kind: 'two_hubs' | 'strange'; readonly says: string }[]
  /** Exit codes of hubs that ended by themselves before the end. */
  readonly hubExits: Record<string, number>
  defunctMost: number
  /** Children that the last hub had not collected a while after everything was over. */
  defunctAtEnd: number
}

export function openLedger(): Ledger {
  return {
    hits: [],
    hubDeathsS: [],
    worldEndsS: [],
    shortages: [],
    faults: {},
    crashPoints: {},
    seen: [],
    hubExits: {},
    defunctMost: 0,
    defunctAtEnd: 0,
  }
}

/** One more of `name`. */
export function countOne<Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1
}
