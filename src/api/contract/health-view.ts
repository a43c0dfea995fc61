export interface HealthView {
  readonly version: string
  readonly pid: number
  /** false: no dispatcher in this process; the store is only read and edited. */
  readonly dispatching: boolean
  readonly draining: boolean
  /** The hub was told to stop (`down`) and is gone once what runs has ended; no `resume` changes that. */
  readonly leaving: boolean
  readonly slots: { readonly total: number; readonly used: number }
  /** Of the disk of the home; null where it cannot be asked. While it is low nothing new starts. */
  readonly disk: {
    readonly free_bytes: number
    readonly needed_bytes: number
    readonly low: boolean
    /** Since when new starts wait for room. */
    readonly since: string | null
    /** The largest parts of the home, once it was low and they were measured. */
    readonly largest: readonly { readonly path: string; readonly bytes: number }[]
  } | null
  /** As lists show them; `archived` ones are counted apart. */
  readonly counts: Readonly<Record<string, number>>
  readonly holds: readonly {
    readonly scope: string
    readonly name: string | null
    readonly kind: string
    readonly by: string
    readonly text: string | null
    readonly since: string
  }[]
  readonly accounts: readonly {
    readonly name: string
    readonly open: boolean
    readonly until: string | null
    readonly parked_by: string | null
    readonly reason: string | null
  }[]
  readonly last_seq: number
  /** When a hub last did something here, this one included; null: there never was one. */
  readonly last_hub_at: string | null
  readonly home: string
  /** Hubs of this home that were killed, or went with the machine, in the last 24 hours. */
  readonly unclean_stops_24h: number
  /** Of the hub that answers; null where there is none. `instance` is new at each start. */
  readonly hub: {
    readonly instance: string
    readonly host: string
    readonly started_by: 'service' | 'person'
    /** What a person should know about this start, a sentence each: the home was moved, it came up paused. */
    readonly notes: readonly string[]
  } | null
  readonly config: string | null
  readonly lanes: readonly {
    readonly name: string
    readonly uses: string
    readonly ready: boolean
    readonly says: string
  }[]
}
