const ours: readonly string[] = ['hub', 'dispatcher']

/** Who did something, for people: a person's name as it is, and whatever acts by itself as `the hub`. */
export const sayActor = (by: string): string => (isOurs(by) ? 'the hub' : by)

/** Whether nobody in particular did it: it was the hub, by itself. */
export const isOurs = (by: string): boolean => ours.includes(by)
