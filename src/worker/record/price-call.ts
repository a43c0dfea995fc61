import type { ModelPrice } from '../../kernel/index.ts'
import type { CallUsage } from '../provider/reply.ts'

/**
 * What a call has cost in USD. Null where it cannot be known: no price of this model, or a provider that does not say
 * what was used. Never 0 for "not known".
 */
export function priceCall(
  prices: Readonly<Record<string, ModelPrice>>,
  { model, usage }: { readonly model: string; readonly usage: CallUsage | null },
): number | null {
  const price = prices[model]
  if (price === undefined || usage === null) return null
  const cached = Math.min(usage.cachedTokens, usage.inputTokens)
  const fresh = usage.inputTokens - cached
  return (fresh * price.in + cached * (price.cached ?? price.in) + usage.outputTokens * price.out) / 1e6
}
