import leven from 'leven'
import { nameSome } from './name-some.ts'

/**
 * The known name that was probably meant, or undefined when none is close: at most a third of the letters differ
 * (two in short names), or one is the beginning of the other.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name)
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = distanceBetween(wanted, plain(candidate))
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name: candidate, distance }
  }
  const allowed = Math.min(Math.max(2, Math.floor(wanted.length / 3)), wanted.length - 1)
  return best !== undefined && best.distance <= allowed ? best.name : undefined
}

/** `did you mean model?`, or what may stand there when nothing is near. */
export function suggestName(name: string, known: readonly string[]): string {
  const near = nearestName(name, known)
  if (near !== undefined) return `did you mean ${near}?`
  if (known.length === 0) return 'take it out; nothing may stand there'
  return `known here: ${nameSome(known, 20)}`
}

const plain = (name: string): string => name.toLowerCase().replaceAll('-', '_')

function distanceBetween(wanted: string, candidate: string): number {
  const oneBeginsTheOther = wanted.length >= 3 && (candidate.startsWith(wanted) || wanted.startsWith(candidate))
  if (oneBeginsTheOther && candidate !== '') return 1
  return isSwapped(wanted, candidate) ? 1 : leven(wanted, candidate)
}

/** Two neighbours changed places: one slip of the fingers, which counts as two letters otherwise. */
function isSwapped(wanted: string, candidate: string): boolean {
  const at = [...wanted].findIndex((letter, index) => letter !== candidate[index])
  if (at === -1 || wanted.length !== candidate.length) return false
  const swapped = `${wanted.slice(0, at)}${wanted[at + 1] ?? ''}${wanted[at]}${wanted.slice(at + 2)}`
  return swapped === candidate
}
