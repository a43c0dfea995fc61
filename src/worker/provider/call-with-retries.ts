import type { Clock, Random } from '../../kernel/index.ts'
import { callModel } from './call-model.ts'
import type { CallResult, ModelCall } from './model-call.ts'
import { isAboutModel, type ModelLine } from './model-line.ts'
import { planRetry, type RetryPolicy } from './retry-plan.ts'

/** Time spent waiting by the whole worker; one value for all its calls. */
export interface WaitLedger {
  waitedMs: number
}

type Unanswered = CallResult & { readonly kind: 'fault' }

interface RetryInput {
  readonly call: ModelCall
  readonly policy: RetryPolicy
  readonly ledger: WaitLedger
  /** Asked in turn instead of the call's own model. Absent: only that one. */
  readonly line?: ModelLine
  /** Told of every wait before it begins. */
  readonly onWait: (result: Unanswered, waitMs: number) => void
  /** Told when the next model of the line is asked, and why. */
  readonly onMove?: (result: Unanswered, to: string) => void
}

/**
 * `callModel` until it answers, the policy gives up or the worker is stopped; then the next model of the line, where the
 * fault is about the model. `model` of the result tells who answered. A call is safe to repeat: no tool has run since it
 * was sent. Of several models that did not answer, one that may do so later counts: the worker then ends at a wall.
 */
export async function callWithRetries(
  deps: { readonly clock: Clock; readonly random: Random },
  input: RetryInput,
): Promise<CallResult> {
  const { line } = input
  let wall: Unanswered | undefined
  for (;;) {
    const model = line?.models[line.at] ?? input.call.model
    const result = await askOne(deps, {
      ...input,
      call: model === input.call.model ? input.call : { ...input.call, model },
    })
    if (result.kind === 'reply' || result.fault.class === 'interrupted') return result
    if (result.fault.class === 'transient') wall ??= result
    const next = line?.models[line.at + 1]
    if (line === undefined || next === undefined || !isAboutModel(result.fault)) {
      return result.fault.reason === 'model_not_found' ? (wall ?? result) : result
    }
    line.at += 1
    input.onMove?.(result, next)
  }
}

async function askOne(
  deps: { readonly clock: Clock; readonly random: Random },
  input: RetryInput,
): Promise<CallResult> {
  const { call, policy, ledger } = input
  for (let attempts = 1; ; attempts += 1) {
    const result = await callModel(deps, call, attempts)
    if (result.kind === 'reply') return result
    const state = { attempts, waitedMs: ledger.waitedMs, runLeftMs: call.runLeftMs?.() ?? null }
    const plan = planRetry(deps, { fault: result.fault, policy, state })
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

/** What was waited for is no longer what ended the call. */
function interruptedDuring(result: Unanswered): Unanswered {
  const fault = { ...result.fault, class: 'interrupted', reason: 'interrupted', message: 'interrupted' } as const
  return { ...result, fault: { ...fault, retryAfterMs: null, resetAtMs: null } }
}
