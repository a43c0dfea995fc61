import { detectors } from './detectors.ts'
import type { AboutCall, MadeCall, PastCall } from './past-call.ts'
import { type GuardName, rememberedCalls, type Threshold, thresholds } from './thresholds.ts'

/**
 * What the loop guards remember of a run. A call goes on until a guard warns (a sentence in its result), then refuses the
 * call (a result that says why), then ends the run. Each guard goes one step at most in one turn, so that a model with two
 * hundred calls in one reply has read the warning before anything is refused for good. Pure: values in, values out.
 */
export interface GuardMemory {
  readonly past: readonly PastCall[]
  /** Guards that warned, each with the turn. */
  readonly warned: readonly { readonly guard: GuardName; readonly turn: number }[]
  readonly refused: readonly { readonly guard: GuardName; readonly subject: string; readonly turn: number }[]
}

export const freshGuards: GuardMemory = { past: [], warned: [], refused: [] }

/** A guard that has fired, in words. */
export interface Fired {
  readonly guard: GuardName
  readonly says: string
}

export type CallVerdict =
  | { readonly kind: 'run' }
  | ({ readonly kind: 'refuse' | 'end'; readonly memory: GuardMemory } & Fired)

/** Whether a call is made, before it is made. */
export function judgeCall(memory: GuardMemory, about: AboutCall & { readonly turn: number }): CallVerdict {
  const { past, refused } = memory
  const { turn } = about
  for (const { name, count, subject, says } of detectors) {
    const { blockAt }: Threshold = thresholds[name]
    const times = blockAt === null ? 0 : count(past, about, 'before')
    if (blockAt === null || times < blockAt) continue
    const of = subject(about)
    const wasRefused = refused.some((row) => row.guard === name && row.subject === of && row.turn < turn)
    return {
      kind: wasRefused ? 'end' : 'refuse',
      guard: name,
      says: says(times, about),
      memory: { ...memory, past: withRefused(past, about), refused: [...refused, { guard: name, subject: of, turn }] },
    }
  }
  return { kind: 'run' }
}

/** A circle that is broken by a refusal alone is still one. */
function withRefused(past: readonly PastCall[], { call, turn }: AboutCall & { readonly turn: number }) {
  const last = past.findLast((entry) => entry.call === call)
  return last === undefined ? past : [...past, { ...last, turn, isProgress: false, isRefused: true }]
}

/** Takes in a call that was made. `warning` is for the model; after `end` the run does not go on. */
export function noteCall(
  memory: GuardMemory,
  { unchanged, ...call }: MadeCall,
): {
  readonly memory: GuardMemory
  readonly isProgress: boolean
  readonly warning: Fired | null
  readonly end: Fired | null
} {
  const before = unchanged ? memory.past.findLast((entry) => entry.call === call.call) : undefined
  const made = before === undefined ? call : { ...call, result: before.result }
  const isProgress = made.outcome === 'ok' && (made.moved || !memory.past.some((entry) => isSame(entry, made)))
  const past = [...memory.past, { ...made, isProgress, isRefused: false }].slice(-rememberedCalls)
  const fired = detectors.flatMap((detector) => {
    const times = detector.count(past, made, 'after')
    const { warnAt, endAt }: Threshold = thresholds[detector.name]
    if (times < warnAt) return []
    const says = detector.says(times, made)
    return [{ guard: detector.name, says, ends: endAt !== null && times >= endAt }]
  })
  const end = fired.find(({ ends }) => ends)
  const isLatched = (guard: GuardName) => memory.warned.some((row) => row.guard === guard && row.turn === made.turn)
  const warning = fired.find(({ guard }) => !isLatched(guard))
  const warned = warning === undefined ? [] : [{ guard: warning.guard, turn: made.turn }]
  return {
    memory: { ...memory, past, warned: [...memory.warned.slice(-rememberedCalls), ...warned] },
    isProgress,
    warning: warning === undefined ? null : { guard: warning.guard, says: warning.says },
    end: end === undefined ? null : { guard: end.guard, says: end.says },
  }
}

const isSame = (a: Pick<PastCall, 'call' | 'result'>, b: Pick<PastCall, 'call' | 'result'>): boolean =>
  a.call === b.call && a.result === b.result
