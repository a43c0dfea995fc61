import type { Random } from './random.ts'

/** Doubling waits from `baseMs` up to `capMs`; `failures` counts from 1. */
export function backoffMs(failures: number, baseMs: number, capMs: number): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 40))
}

/** `ms` moved by up to a tenth either way, so that things that stopped together do not start together. */
export function jitter(ms: number, random: Random): number {
  return Math.round(ms * (0.9 + 0.2 * random.fraction()))
}
