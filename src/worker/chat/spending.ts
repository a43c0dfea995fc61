import type { CallUsage } from '../provider/reply.ts'
import { priceCall } from '../record/price-call.ts'
import type { ChatProgress } from './chat-end.ts'
import type { LoopOptions } from './chat-input.ts'
import type { Purse } from './plan-budget.ts'

/** What the calls of one run have used: summed up in its progress, and held against its budgets. */
export class Spending {
  readonly #progress: ChatProgress
  readonly #options: Pick<LoopOptions, 'budget' | 'prices'>
  #tokens = 0
  #usd = 0
  #lastTokens = 0
  #lastUsd = 0

  constructor(progress: ChatProgress, options: Pick<LoopOptions, 'budget' | 'prices'>) {
    this.#progress = progress
    this.#options = options
  }

  /**
   * Takes in a call that was answered; answers what it cost, null where that is not known. `guess` holds against the budgets
   * what a provider does not count, and is told to nobody.
   */
  note(model: string, usage: CallUsage | null, guess: CallUsage): number | null {
    const progress = this.#progress
    const { prices } = this.#options
    const costUsd = priceCall(prices, { model, usage })
    progress.calls += 1
    progress.model = model
    progress.costUsd = progress.costUsd === null || costUsd === null ? null : progress.costUsd + costUsd
    this.#lastTokens = freshTokens(usage ?? guess)
    this.#lastUsd = priceCall(prices, { model, usage: usage ?? guess }) ?? 0
    this.#tokens += this.#lastTokens
    this.#usd += this.#lastUsd
    if (usage === null) return costUsd
    const before = progress.usage
    progress.usage = {
      inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
      cachedTokens: (before?.cachedTokens ?? 0) + usage.cachedTokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
    }
    return costUsd
  }

  /** Null: no budget. */
  tokens(): Purse | null {
    const most = this.#options.budget.tokens
    return most === null ? null : { used: this.#tokens, most, lastCall: this.#lastTokens }
  }

  /** Null: no budget. */
  usd(): Purse | null {
    const most = this.#options.budget.usd
    return most === null ? null : { used: this.#usd, most, lastCall: this.#lastUsd }
  }

  /** Whether both budgets hold another call of this size. */
  affords(model: string, usage: CallUsage): boolean {
    const tokens = this.tokens()
    const usd = this.usd()
    const costUsd = priceCall(this.#options.prices, { model, usage }) ?? 0
    return (
      (tokens === null || tokens.used + freshTokens(usage) < tokens.most) &&
      (usd === null || usd.used + costUsd < usd.most)
    )
  }
}

/** Input that the provider had kept costs next to nothing and would fill any budget. */
const freshTokens = ({ inputTokens, cachedTokens, outputTokens }: CallUsage): number =>
  Math.max(0, inputTokens - cachedTokens) + outputTokens
