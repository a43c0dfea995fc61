import type { Place, WantedEdit } from './wanted-edit.ts'

/** With more the answer is the same; looking for all of them in a text of one letter would take for ever. */
export const mostPlaces = 1_000

/** Rung 1. Places that overlap count, too: then it is not clear which is meant. `apart` leaves them out. */
export function findExact(text: string, { old, next }: WantedEdit, which: 'overlapping' | 'apart'): readonly Place[] {
  const places: Place[] = []
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + (which === 'apart' ? old.length : 1))) {
    if (which === 'overlapping' && places.length >= mostPlaces) break
    places.push({ start: at, end: at + old.length, text: next })
  }
  return places
}
