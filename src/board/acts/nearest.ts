import leven from 'leven'

/** The known name that a mistyped one most likely means, or null when none is near (a third of its letters wrong, at most). */
export function nearest(typed: string, known: Iterable<string>): string | null {
  let best: string | null = null
  let distance = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const name of known) {
    // Lengths alone rule most names out; a batch may have 100,000 of them.
    if (Math.abs(name.length - typed.length) >= distance) continue
    const between = leven(typed, name)
    if (between < distance) [best, distance] = [name, between]
  }
  return best
}
