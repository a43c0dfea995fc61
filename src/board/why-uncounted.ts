import { nameSome } from '../kernel/index.ts'
import type { Resolved } from './resolve-settings.ts'

/** What of a lane decides whether a budget could be kept. */
export interface CountingLane {
  readonly name: string
  readonly uses: 'chat' | 'command'
  /** Models of it whose price is not known. */
  readonly unpriced: readonly string[]
}

/** Why a budget that somebody has set would never be reached, with its fix; undefined where it is kept, or there is none. */
export function whyUncounted(
  { budgetTokens, budgetUsd }: Pick<Resolved, 'budgetTokens' | 'budgetUsd'>,
  { kind, lane }: { readonly kind: 'prompt' | 'run'; readonly lane: CountingLane },
): { readonly field: string; readonly says: string; readonly fix: string } | undefined {
  const set = Object.entries({ tokens: budgetTokens, usd: budgetUsd }).find(
    ([, { value, from }]) => value !== 'off' && from !== 'built in',
  )
  if (set === undefined) return undefined
  const field = `budget.${set[0]}`
  const whose = set[1].from === 'task' ? '' : `, said by the ${set[1].from},`
  if (kind === 'run' || lane.uses === 'command') {
    const of = kind === 'run' ? 'a command uses' : `the command of lane ${lane.name} uses`
    return { field, says: `${field}${whose} limits what ${of}, and nobody counts that`, fix: 'take it out' }
  }
  if (budgetUsd.value === 'off' || lane.unpriced.length === 0) return undefined
  return {
    field: 'budget.usd',
    says: `budget.usd limits US dollars, and no price is known for ${nameSome(lane.unpriced, 5)} of lane ${lane.name}`,
    fix: 'write prices of its account in yardmaster.yaml, or limit tokens',
  }
}
