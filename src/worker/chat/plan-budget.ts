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
  const lastWords = holds(tokens) && holds(usd) ? 'asked' : 'not_asked'
  const end = (reason: 'turn_limit' | 'budget', says: string) => ({ kind: 'end', reason, says, lastWords }) as const
  if (tokens !== null && isUsedUp(tokens)) return end('budget', sayUsedUp(tokens, { unit: 'tokens', digits: 0 }))
  if (usd !== null && isUsedUp(usd)) return end('budget', sayUsedUp(usd, { unit: 'USD', digits: 4 }))
  if (time !== null && time.elapsedMs >= time.runMs - time.reserveMs) {
    return end('budget', `the time of ${describeDuration(time.runMs)} is used up`)
  }
  return turns >= maxTurns ? end('turn_limit', `the turns are used up: ${turns} of ${maxTurns}`) : undefined
}

/** Whether one more call fits: not even a last word is bought with what is not there. */
const holds = (purse: Purse | null): boolean =>
  purse === null || (purse.used < purse.most && purse.used + purse.lastCall <= purse.most)

/** Near its end a purse keeps one call for last words; before, a first call that was large by itself ends nothing. */
function isUsedUp(purse: Purse): boolean {
  const { used, most, lastCall } = purse
  return !holds(purse) || (used >= most * remindAt && used + 2 * lastCall > most)
}

function sayUsedUp(
  { used, most }: Purse,
  { unit, digits }: { readonly unit: string; readonly digits: number },
): string {
  const short = used < most ? ', and no further call fits' : ''
  return `the budget of ${most} ${unit} is used up: ${used.toFixed(digits)}${short}`
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

const sayTokens = ({ used, most }: Purse): string => `${Math.round(used)} of ${most} tokens`
const sayUsd = ({ used, most }: Purse): string => `${used.toFixed(4)} of ${most} USD`

/** How long before its end a run comes to its last words: 30 seconds; of a short one less, and always after its checkpoint. */
export const reserveOf = (runMs: number): number => Math.min(30_000, runMs * 0.08)
