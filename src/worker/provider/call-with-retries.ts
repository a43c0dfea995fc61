import type { Clock, Random } from '../../kernel/index.ts'
import { callModel } from './call-model.ts'
import type { CallResult, ModelCall } from './model-call.ts'
import { planRetry, type RetryPolicy } from './retry-plan.ts'

/** Time spent waiting by the whole worker; one value for all its calls. */
export interface WaitLedger {
  waitedMs: number
}

/**
 * `callModel` until it answers, the policy gives up or the worker is stopped. `onWait` is told of every wait before it
 * begins. A call is safe to repeat: no tool has run since it was sent.
 */
export async function callWithRetries(
  deps: { readonly clock: Clock; readonly random: Random },
  input: {
    readonly call: ModelCall
    readonly policy: RetryPolicy
    readonly ledger: WaitLedger
    readonly onWait: (result: CallResult & { kind: 'fault' }, waitMs: number) => void
  },
): Promise<CallResult> {
  const { call, policy, ledger } = input
  for (let attempts = 1; ; attempts += 1) {
    const result = await callModel(deps, call)
    if (result.kind === 'reply') return result
    const plan = planRetry(deps, { fault: result.fault, policy, state: { attempts, waitedMs: ledger.waitedMs } })
    if (plan.kind === 'give_up') return result
    input.onWait(result, plan.ms)
    ledger.waitedMs += plan.ms
    try {
      await deps.clock.sleep(plan.ms, call.signal)
    } catch {
      return interruptedDuring(result) // the only way a sleep rejects
    }
  }
}

function interruptedDuring(result: CallResult & { kind: 'fault' }): CallResult {
  const fault = { ...result.fault, class: 'interrupted', reason: 'interrupted', message: 'interrupted' } as const
  return { ...result, fault }
}
