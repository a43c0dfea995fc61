import type { Redactor } from '../../kernel/index.ts'
import type { RunReport } from '../../runs/index.ts'
import type { ProviderFault } from '../provider/faults/fault.ts'

/** What a run's report keeps of a fault: all of it, masked. */
export function describeError(redact: Redactor, fault: ProviderFault): NonNullable<RunReport['error']> {
  const { resetAtMs, ...kept } = fault
  const masked = (text: string | null) => (text === null ? null : redact(text))
  return {
    ...kept,
    code: masked(fault.code),
    type: masked(fault.type),
    param: masked(fault.param),
    message: redact(fault.message),
    requestId: masked(fault.requestId),
    resetAt: resetAtMs === null ? null : new Date(resetAtMs).toISOString(),
    rawHead: masked(fault.rawHead),
  }
}
