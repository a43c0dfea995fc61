import { expect, test } from 'vitest'
import { systemClock } from '../../src/kernel/index.ts'

test('any number of waits may hang on one signal without a warning on standard error', async () => {
  const warnings: string[] = []
  const hear = (warning: Error) => warnings.push(warning.message)
  process.on('warning', hear)
  const stop = new AbortController()
  try {
    for (let i = 0; i < 20; i += 1) {
      systemClock.after(60_000, stop.signal, () => {})
      systemClock.every(60_000, stop.signal, () => {})
      systemClock.sleep(60_000, stop.signal).catch(() => {})
    }
    await systemClock.sleep(1) // warnings are told in a later turn
    expect(warnings).toEqual([])
  } finally {
    stop.abort()
    process.off('warning', hear)
  }
})
