import type { RetryWaits } from '../dispatcher/index.ts'
import { parseDuration } from '../kernel/index.ts'
import { mainError } from './errors.ts'

/** The variable that shortens the waits before retries, for demos and tests: `200ms-2s`. */
export const retryWaitVariable = 'YARDMASTER_RETRY_WAIT'

/** Shortest and longest wait before a retry, where the environment says so; throws `MAIN_BAD_VARIABLE`. */
export function readRetryWaits(env: Readonly<Record<string, string | undefined>>): RetryWaits | undefined {
  const text = env[retryWaitVariable]
  if (text === undefined || text === '') return undefined
  const [baseMs, capMs, ...more] = text.split('-').map(parseDuration)
  if (baseMs !== undefined && capMs !== undefined && more.length === 0 && baseMs > 0 && baseMs <= capMs) {
    return { baseMs, capMs }
  }
  throw mainError('MAIN_BAD_VARIABLE', { name: retryWaitVariable, text, form: '200ms-2s: shortest and longest wait' })
}
