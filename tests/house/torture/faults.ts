/** Something that is done to a yard while it works. `pick` in [0, 1) chooses among those that are there at that moment. */
export type Fault =
  | { readonly kind: 'kill_hub' }
  /** C44: a stop that is cut by the hard kill. */
  | { readonly kind: 'term_then_kill'; readonly killAfterMs: number }
  /** unparented: the hub is killed first, so that nobody is there to see how the shim ends. */
  | { readonly kind: 'kill_shim'; readonly pick: number; readonly hub: 'is_parent' | 'unparented' }
  | { readonly kind: 'kill_worker'; readonly pick: number }
  | { readonly kind: 'kill_descendant'; readonly pick: number }
  | { readonly kind: 'freeze_hub'; readonly forMs: number }
  | { readonly kind: 'freeze_worker'; readonly pick: number; readonly forMs: number }
  /** Hubs killed one after another, each after so long. */
  | { readonly kind: 'restarts'; readonly afterMs: readonly number[] }
  /** The wall clock is off by so much from now on. */
  | { readonly kind: 'step_clock'; readonly byMs: number }
  | { readonly kind: 'fill_disk'; readonly forMs: number }
  /** System calls of the hub that answer EIO, one in so many. */
  | { readonly kind: 'io_error'; readonly calls: string; readonly oneIn: number; readonly forMs: number }
  /** The hub may open no more files. */
  | { readonly kind: 'few_files'; readonly forMs: number }
  | { readonly kind: 'second_hub'; readonly from: 'here' | 'other_namespace' }
  /** Everything of up to so many attempts is killed with the hub, and strangers sit down on their numbers. */
  | { readonly kind: 'reuse_pids'; readonly most: number; readonly picks: readonly number[] }
  /** The namespace ends with all in it, and another one begins. */
  | { readonly kind: 'reboot'; readonly boot: 'same_id' | 'other_id' }
export type FaultKind = Fault['kind']

/** In which kind of world a round is played. */
export type WorldKind =
  /** `up`, in the machine's own namespace. */
  | 'plain'
  /** `up`, with the home on a small file system. */
  | 'small_disk'
  /** `up`, in a pid namespace of its own, beside strangers, below an init that collects orphans, or one that does not. */
  | 'namespace'
  /** `up` is PID 1 of its namespace: its end is the end of all. */
  | 'pid_1'
  /** `run` without a hub. */
  | 'run'
  | 'run_orphans_die'

/** How often each fault comes, by world. What is missing does not come there. */
export const faultWeights: Readonly<Record<WorldKind, Readonly<Partial<Record<FaultKind, number>>>>> = {
  plain: {
    kill_hub: 5,
    term_then_kill: 3,
    kill_shim: 4,
    kill_worker: 4,
    kill_descendant: 2,
    freeze_hub: 2,
    freeze_worker: 2,
    restarts: 2,
    step_clock: 2,
    io_error: 1,
    few_files: 1,
    second_hub: 1,
  },
  small_disk: { fill_disk: 5, io_error: 2, kill_hub: 3, kill_worker: 1, kill_shim: 1, few_files: 1 },
  namespace: { reuse_pids: 4, reboot: 1, kill_hub: 3, kill_shim: 2, kill_worker: 2, second_hub: 1, term_then_kill: 1 },
  pid_1: { kill_hub: 3, kill_worker: 3, freeze_worker: 1 },
  run: { kill_hub: 5, kill_worker: 3, kill_shim: 3, kill_descendant: 1, freeze_hub: 1, restarts: 1, step_clock: 1 },
  run_orphans_die: { kill_hub: 4, kill_worker: 2, restarts: 1 },
}
