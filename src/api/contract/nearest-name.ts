import leven from 'leven'

/**
 * The known name that was probably meant, or undefined when none is close: at most a third of the letters differ
 * (two in short names), or one is the beginning of the other.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase().replaceAll('-', '_')
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const plain = candidate.toLowerCase().replaceAll('-', '_')
    const distance = wanted.length >= 3 && plain.startsWith(wanted) ? 1 : leven(wanted, plain)
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance }
  }
  const allowed = Math.min(Math.max(2, Math.floor(wanted.length / 3)), wanted.length - 1)
  return best !== undefined && best.distance <= allowed ? best.name : undefined
}
