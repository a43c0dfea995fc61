import { builtInTokens } from '../../kernel/index.ts'
import type { CallUsage } from '../provider/reply.ts'
import { priceCall } from '../record/price-call.ts'
import type { ChatProgress } from './chat-end.ts'
import type { LoopOptions } from './chat-input.ts'
import type { Purse } from './plan-budget.ts'

/** What the calls of one run have used: summed up in its progress, and held against its budgets. */
export class Spending {
  readonly #progress: ChatProgress
  readonly #options: Pick<LoopOptions, 'budget' | 'prices'>
  #lastTokens = 0
  #lastUsd = 0
  #knownUsd = 0

  constructor(progress: ChatProgress, options: Pick<LoopOptions, 'budget' | 'prices'>) {
    this.#progress = progress
    this.#options = options
  }

  /** Takes in a call that was answered; answers what it cost, null where that is not known. */
  note(model: string, usage: CallUsage | null): number | null {
    const progress = this.#progress
    const costUsd = priceCall(this.#options.prices, { model, usage })
    progress.calls += 1
    progress.model = model
    progress.costUsd = progress.costUsd === null || costUsd === null ? null : progress.costUsd + costUsd
    this.#knownUsd += costUsd ?? 0
    this.#lastUsd = costUsd ?? this.#lastUsd
    if (usage === null) return costUsd
    const before = progress.usage
    progress.usage = {
      inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
      cachedTokens: (before?.cachedTokens ?? 0) + usage.cachedTokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
    }
    this.#lastTokens = freshTokens(usage)
    return costUsd
  }

  /** Null: no budget. What the provider does not report cannot be held against one. */
  tokens(): Purse | null {
    const { usage } = this.#progress
    const most = this.#options.budget.tokens ?? builtInTokens
    return { used: usage === null ? 0 : freshTokens(usage), most, lastCall: this.#lastTokens }
  }

  /** Null: no budget. Calls whose price is not known count for nothing here and make the whole sum unknown elsewhere. */
  usd(): Purse | null {
    const most = this.#options.budget.usd
    return most === null ? null : { used: this.#knownUsd, most, lastCall: this.#lastUsd }
  }
}

/** Input that the provider had kept costs next to nothing and would fill any budget. */
const freshTokens = ({ inputTokens, cachedTokens, outputTokens }: CallUsage): number =>
  Math.max(0, inputTokens - cachedTokens) + outputTokens
