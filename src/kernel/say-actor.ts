const ours: readonly string[] = ['hub', 'dispatcher']

/** Who did something, for people: a person's name as it is, and whatever acts by itself as `the hub`. */
export const sayActor = (by: string): string => (ours.includes(by) ? 'the hub' : by)
