/** One thing wrong with a body: where, what, and how to mend it. `path` is `tasks[3].timeout`; empty: the whole. */
export interface BodyFault {
  readonly path: string
  readonly says: string
  readonly fix: string
  /** Only on the last of a list that was cut short, which is about no place: how many were left out. */
  readonly left?: number
}

/** The first of them; what was left out is counted in one more. */
export function firstFaults(faults: readonly BodyFault[], most: number): readonly BodyFault[] {
  const left = faults.length - most
  if (left <= 0) return faults
  const says = `and ${left} more ${left === 1 ? 'fault' : 'faults'}`
  return [...faults.slice(0, most), { path: '', says, fix: 'mend these first', left }]
}
