/** Which hub acts: the machine it runs on and the id of this one start of it. */
export interface HubIdentity {
  /** The OS's machine id. */
  readonly machine: string
  /** Random, new at each start: tells two starts apart that share host name and pid. */
  readonly instance: string
}

/** One start of a hub on this store. */
export interface HubStart extends HubIdentity {
  /** Host name of the machine, for people: two machines may share one. */
  readonly host: string
  readonly pid: number
  readonly version: string
  /** service: started by a service manager, which starts it again by itself. person: typed. */
  readonly startedBy: 'service' | 'person'
  readonly startedAtMs: number
  /** Null while it works, and for ever where it was killed: an unclean stop. */
  readonly stoppedAtMs: number | null
}
