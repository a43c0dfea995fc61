/** What a figure must reach; the goals are those of the issue that asked for it. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One number that tells how fast or how small Yardmaster is. A ratio has both sides measured in the same round. */
export interface Figure {
  readonly id: string
  /** What is divided by what, or what is measured in which unit; one line for the table. */
  readonly says: string
  readonly goal: Goal
}

/** Measures one or more figures. Everything it starts is ended by `close`. */
export interface Bench {
  readonly figures: readonly Figure[]
  /** Programs of the system without which it cannot run. */
  readonly needs?: readonly string[]
  /** Of one that takes a minute for each side: so many, and none thrown away. Absent: five after one that is. */
  readonly rounds?: number
  open(): Promise<Round>
}

export interface Round {
  /**
   * One round: a value for each figure. `first` says which side goes first and changes with each round, so that a
   * machine that grows warmer or busier favours neither.
   */
  measure(first: 'ours' | 'peer'): Promise<Readonly<Record<string, number>>>
  close(): Promise<void>
}

/** Whether a median reaches its goal. */
export function isReached(goal: Goal, value: number): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

/** Both sides of a ratio, in the order asked for. */
export async function measureBoth<Ours, Peer>(
  first: 'ours' | 'peer',
  ours: () => Promise<Ours>,
  peer: () => Promise<Peer>,
): Promise<{ readonly ours: Ours; readonly peer: Peer }> {
  if (first === 'ours') {
    const measured = await ours()
    return { ours: measured, peer: await peer() }
  }
  const measured = await peer()
  return { ours: await ours(), peer: measured }
}
