import type { Work } from '../work.ts'
import { setHold } from './holds.ts'

/**
 * A copy that becomes the store: what was done after it was made is not known to it, so nothing starts before a person has
 * looked, and numbers that the home has folders of are not given again. Answers the newest run that it knows of.
 */
export function markRestored(
  work: Work,
  { newest, text }: { readonly newest: { readonly run: number; readonly task: number }; readonly text: string },
): number {
  const { store } = work
  const lastRun = store.lastNumber({ name: 'run' })?.seq ?? 0
  for (const [name, least] of Object.entries(newest)) {
    if (store.raiseSequence({ name, least }) === 0) store.beginSequence({ name, least })
  }
  work.tell({ kind: 'store.restored', text: `the store was restored ${text}` })
  setHold(work, { scope: 'all', name: null, kind: 'pause', text: `restored ${text}` })
  return lastRun
}
