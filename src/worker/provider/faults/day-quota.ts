import { isFields } from '../../../kernel/index.ts'

const dayMs = 24 * 3_600_000
/** Google's days begin at midnight on its west coast: at 7 or 8 in UTC, of which the later one is never too early. */
const dayBeginsUtcMs = 8 * 3_600_000

/** Whether Google names a quota of a whole day as the one that is used up: it may still say "retry in 30 s" beside it. */
export function isDayQuota(json: unknown): boolean {
  const top: unknown = Array.isArray(json) ? json[0] : json
  const error = isFields(top) ? top.error : undefined
  const details: unknown = isFields(error) ? error.details : undefined
  if (!Array.isArray(details)) return false
  return details.slice(0, 20).some((detail) => {
    const violations: unknown = isFields(detail) ? detail.violations : undefined
    return Array.isArray(violations) && violations.slice(0, 20).some(isOfADay)
  })
}

const isOfADay = (violation: unknown): boolean =>
  isFields(violation) && typeof violation.quotaId === 'string' && violation.quotaId.includes('PerDay')

/** Until the next day of quotas begins: more than 0, at most a day. */
export function dayEndsInMs(nowMs: number): number {
  const intoDayMs = (((nowMs - dayBeginsUtcMs) % dayMs) + dayMs) % dayMs
  return dayMs - intoDayMs
}
