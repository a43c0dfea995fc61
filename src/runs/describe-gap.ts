import { assertNever, describeSize } from '../kernel/index.ts'
import type { LogGap } from './log-parts.ts'

/** One line that stands in a log for what is gone: how much, and why. */
export function describeGap({ why, bytes }: { readonly why: LogGap; readonly bytes: number }): string {
  switch (why) {
    case 'limit':
      return `… ${describeSize(bytes)} cut: log_limit keeps the beginning and the end …`
    case 'shortened':
      return `… ${describeSize(bytes)} lost: the log was shortened while the attempt ran, not by yardmaster …`
    case 'copied':
      return '… here some output may be missing: it was written while the log was cut, on a file system that cannot free the middle of a file …'
    default:
      return assertNever(why)
  }
}
