import { assertNever } from '../../../src/kernel/index.ts'

/** How one kind of task behaves, and what the yard must make of it. Its act stands in `worker-script.ts` under the same name. */
export interface TaskKind {
  /** tiny: a few milliseconds, for the mass. slow: there to be hit while it runs. odd: misbehaves on purpose. */
  readonly size: 'tiny' | 'slow' | 'odd'
  readonly weight: number
  /** Fields of the batch file besides `run`. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly ends: KindEnd
}

/** How a task of the kind ends while nobody disturbs it. */
export type KindEnd =
  /** By the code it wrote down itself, done at last. */
  | { readonly by: 'code'; readonly last: 'done' }
  /** By a code other than 0, its only attempt. */
  | { readonly by: 'code'; readonly last: 'failed' }
  /** By 75 for ever, until the cap sends it to a person, who calls it off. */
  | { readonly by: 'code'; readonly last: 'cancelled' }
  | { readonly by: 'timeout' }
  | { readonly by: 'signal'; readonly signal: string }

const done = { by: 'code', last: 'done' } as const
const quick = { attempts: 1 }

export const taskKinds = {
  ok: { size: 'tiny', weight: 60, fields: quick, ends: done },
  code: { size: 'tiny', weight: 15, fields: quick, ends: { by: 'code', last: 'failed' } },
  flaky: { size: 'tiny', weight: 8, fields: { attempts: 9 }, ends: done },
  later: { size: 'tiny', weight: 5, fields: quick, ends: done },
  forever_later: { size: 'tiny', weight: 1, fields: quick, ends: { by: 'code', last: 'cancelled' } },
  slow: { size: 'slow', weight: 10, fields: { attempts: 9 }, ends: done },
  family: { size: 'slow', weight: 4, fields: { attempts: 9 }, ends: done },
  stubborn: { size: 'odd', weight: 3, fields: { ...quick, timeout: '300ms' }, ends: { by: 'timeout' } },
  late_quitter: { size: 'odd', weight: 2, fields: { ...quick, timeout: '300ms' }, ends: { by: 'timeout' } },
  segfault: { size: 'odd', weight: 2, fields: quick, ends: { by: 'signal', signal: 'SIGSEGV' } },
  daemon: { size: 'odd', weight: 3, fields: { attempts: 9 }, ends: done },
  wiped: { size: 'odd', weight: 3, fields: { attempts: 9 }, ends: done },
  deaf_child: { size: 'odd', weight: 2, fields: { attempts: 9 }, ends: done },
  closed: { size: 'odd', weight: 2, fields: quick, ends: done },
  truncates: { size: 'odd', weight: 2, fields: quick, ends: done },
  floods: { size: 'odd', weight: 1, fields: quick, ends: done },
  forks: { size: 'odd', weight: 2, fields: { attempts: 9 }, ends: done },
  zombie: { size: 'odd', weight: 2, fields: { attempts: 9 }, ends: done },
  keeper: { size: 'odd', weight: 1, fields: { ...quick, keeps: true }, ends: done },
  escape: { size: 'odd', weight: 1, fields: quick, ends: done },
  walled: { size: 'odd', weight: 1, fields: { ...quick, lane: 'paid' }, ends: done },
} as const satisfies Readonly<Record<string, TaskKind>>
export type TaskKindName = keyof typeof taskKinds

export const taskKindNames = Object.keys(taskKinds) as readonly TaskKindName[]

/** The status in which a task of the kind stays when nothing hit it. */
export function restingStatus(kind: TaskKindName): 'done' | 'failed' | 'cancelled' {
  const { ends } = taskKinds[kind] as TaskKind
  switch (ends.by) {
    case 'code':
      return ends.last
    case 'timeout':
    case 'signal':
      return 'failed'
    default:
      return assertNever(ends)
  }
}
