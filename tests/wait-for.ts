import { vi } from 'vitest'

/**
 * Looks every few milliseconds until `look` does not throw, and answers what it answers. How long it looks says nothing
 * of what is tested: it only tells a test that waits in vain from one on a slow machine.
 */
export const waitFor = <T>(look: () => T | Promise<T>): Promise<T> => vi.waitFor(look, { timeout: 60_000, interval: 5 })
