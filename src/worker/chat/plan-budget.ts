import { describeDuration } from '../../kernel/index.ts'
import { notices } from './notices.ts'

/** One thing of which a run may use so much. */
export interface Purse {
  readonly used: number
  readonly most: number
  /** What the last call took: about what the next one will. */
  readonly lastCall: number
}

export interface BudgetView {
  /** Turns that are over. */
  readonly turns: number
  readonly maxTurns: number
  readonly tokens: Purse | null
  /** Null: no budget, or no price is known; unknown is not 0. */
  readonly usd: Purse | null
  /** Null: the run has no end of its own. */
  readonly time: { readonly elapsedMs: number; readonly runMs: number; readonly reserveMs: number } | null
  /** What the model was told before, by name. */
  readonly told: ReadonlySet<string>
}

export type BudgetPlan =
  | { readonly kind: 'go_on'; readonly tell: readonly { readonly name: string; readonly say: string }[] }
  /** `lastWords`: whether one more call is made, without tools, to say how far the work has come. */
  | {
      readonly kind: 'end'
      readonly reason: 'turn_limit' | 'budget'
      readonly says: string
      readonly lastWords: 'asked' | 'not_asked'
    }

const remindAt = 0.8
export const checkpointAt = 0.9
/** Below, a reminder comes too early to be of use. */
const fewestTurnsToRemind = 5

/** What the budgets say before the next call of the model. Pure. */
export function planBudget(view: BudgetView): BudgetPlan {
  return spent(view) ?? { kind: 'go_on', tell: reminders(view).filter(({ name }) => !view.told.has(name)) }
}

function spent({ turns, maxTurns, tokens, usd, time }: BudgetView): BudgetPlan | undefined {
  if (tokens !== null && tokens.used >= tokens.most) return overspent(sayTokens(tokens))
  if (usd !== null && usd.used >= usd.most) return overspent(sayUsd(usd))
  if (time !== null && time.elapsedMs >= time.runMs - time.reserveMs) {
    return end('budget', `the time of ${describeDuration(time.runMs)} is used`)
  }
  if (turns >= maxTurns) return end('turn_limit', `not finished after ${maxTurns} turns`)
  if (tokens !== null && tokens.used + tokens.lastCall >= tokens.most) return end('budget', sayTokens(tokens))
  if (usd !== null && usd.used + usd.lastCall >= usd.most) return end('budget', sayUsd(usd))
  return undefined
}

function reminders({ turns, maxTurns, tokens, usd, time }: BudgetView) {
  const tell: { readonly name: string; readonly say: string }[] = []
  if (maxTurns >= fewestTurnsToRemind && turns >= maxTurns * remindAt) {
    tell.push({ name: 'turns', say: notices.nearEnd(`${turns} of ${maxTurns} turns`) })
  }
  if (tokens !== null && tokens.used >= tokens.most * remindAt) {
    tell.push({ name: 'tokens', say: notices.nearEnd(sayTokens(tokens)) })
  }
  if (usd !== null && usd.used >= usd.most * remindAt) tell.push({ name: 'usd', say: notices.nearEnd(sayUsd(usd)) })
  if (time === null) return tell
  if (time.elapsedMs >= time.runMs * checkpointAt) {
    tell.push({ name: 'checkpoint', say: notices.checkpoint(describeDuration(time.runMs - time.elapsedMs)) })
  } else if (time.elapsedMs >= time.runMs * remindAt) {
    const elapsed = describeDuration(time.elapsedMs)
    tell.push({ name: 'time', say: notices.nearEnd(`${elapsed} of ${describeDuration(time.runMs)}`) })
  }
  return tell
}

const end = (reason: 'turn_limit' | 'budget', says: string): BudgetPlan => ({
  kind: 'end',
  reason,
  says,
  lastWords: 'asked',
})

/** Not even a last word is bought with what is not there. */
const overspent = (says: string): BudgetPlan => ({ kind: 'end', reason: 'budget', says, lastWords: 'not_asked' })

const sayTokens = ({ used, most }: Purse): string => `${Math.round(used)} of ${most} tokens`
const sayUsd = ({ used, most }: Purse): string => `${used.toFixed(4)} of ${most} USD`

/** How long before its end a run comes to its last words: 30 seconds; of a short one less, and always after its checkpoint. */
export const reserveOf = (runMs: number): number => Math.min(30_000, runMs * 0.08)
