import { readFileSync } from 'node:fs'

/**
 * Steps of the wall clock in a test build, so that "the clock jumped 8 h" is tried on the built product without touching
 * the machine's clock. In a released build the whole body folds away (`__CRASH_POINTS__` is false).
 */
declare const __CRASH_POINTS__: boolean

let file: string | undefined

/** From now on the wall clock is off by the milliseconds written in `path`; called once by the entry with `YARDMASTER_CLOCK_OFFSET_FILE`. */
export function stepClockFrom(path: string | undefined): void {
  if (!__CRASH_POINTS__ || path === undefined || path === '') return
  file = path
}

/** Milliseconds the wall clock is off now; 0 where nobody asked for it. The file is read at each look: a step comes at any moment. */
export function clockStepMs(): number {
  if (!__CRASH_POINTS__ || file === undefined) return 0
  try {
    const ms = Number(readFileSync(file, 'latin1'))
    return Number.isFinite(ms) ? ms : 0
  } catch {
    return 0 // not written yet: the clock is right
  }
}
