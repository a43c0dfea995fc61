import type { AboutCall, PastCall } from './past-call.ts'
import { longestCycle, type thresholds } from './thresholds.ts'

/** Watches for one way of going round in circles. Pure: the same past gives the same number. */
export interface Detector {
  readonly name: keyof typeof thresholds
  /** How often it has happened by now, seen from this call, which is the last of `past` or about to be made. */
  readonly count: (past: readonly PastCall[], about: AboutCall, when: 'before' | 'after') => number
  /** What it is about: what was refused is refused again by the same. */
  readonly subject: (about: AboutCall) => string
  readonly says: (times: number, about: AboutCall) => string
}

export const detectors: readonly Detector[] = [
  {
    name: 'same_call_failing',
    count: (past, { call }) => failuresOfCall(past, call),
    subject: ({ call }) => call,
    says: (times) => `this same call has failed ${times} times with nothing changed in between`,
  },
  {
    name: 'same_tool_failing',
    count: (past, { tool }) => failuresOfTool(past, tool),
    subject: ({ tool }) => tool,
    says: (times, { tool }) => `${tool} has failed ${times} times in a row`,
  },
  {
    name: 'no_progress',
    count: (past, about) => (about.effect === 'reads' ? sameResults(past, about.call) : 0),
    subject: ({ call }) => call,
    says: (times) => `this same call has brought the same result ${times} times`,
  },
  {
    name: 'cycle',
    count: (past, about, when) => repeats(past, about, { when, by: ({ call, result }) => `${call} ${result}` }),
    subject: () => 'cycle',
    says: (times) => `the same calls with the same results have come ${times} times in a row`,
  },
  {
    name: 'cycle_of_calls',
    count: (past, about, when) => repeats(past, about, { when, by: ({ call }) => call }),
    subject: () => 'cycle',
    says: (times) => `the same calls have come ${times} times in a row`,
  },
  {
    name: 'command_timeouts',
    count: (past, { tool }) => timeoutsInARow(past, tool),
    subject: ({ tool }) => tool,
    says: (times) => `${times} commands in a row were stopped at their limit`,
  },
]

/** A fix between two tries makes the second one new, so it is counted from there. */
const isChange = ({ isProgress, effect }: PastCall): boolean => isProgress && effect === 'writes'

function failuresOfCall(past: readonly PastCall[], call: string): number {
  return countBack(past, (entry) => {
    if (entry.call === call) return entry.outcome === 'failed' ? 'counts' : 'ends'
    return isChange(entry) ? 'ends' : 'skips'
  })
}

function failuresOfTool(past: readonly PastCall[], tool: string): number {
  return countBack(past, (entry) => {
    if (entry.tool === tool) return entry.outcome === 'failed' ? 'counts' : 'ends'
    return isChange(entry) ? 'ends' : 'skips'
  })
}

function sameResults(past: readonly PastCall[], call: string): number {
  const last = past.findLast((entry) => entry.call === call)
  return countBack(past, (entry) => {
    if (entry.call !== call) return isChange(entry) ? 'ends' : 'skips'
    if (entry.waited) return 'skips'
    return entry.outcome === 'ok' && !entry.moved && entry.result === last?.result ? 'counts' : 'ends'
  })
}

function timeoutsInARow(past: readonly PastCall[], tool: string): number {
  return countBack(past, (entry) => (entry.tool !== tool ? 'skips' : entry.timedOut ? 'counts' : 'ends'))
}

function countBack(past: readonly PastCall[], look: (entry: PastCall) => 'counts' | 'skips' | 'ends'): number {
  let counted = 0
  for (let at = past.length - 1; at >= 0; at -= 1) {
    const entry = past[at] as PastCall
    const found = entry.isRefused ? 'skips' : look(entry)
    if (found === 'ends') break
    if (found === 'counts') counted += 1
  }
  return counted
}

/** How often the last one to five calls have come in a row; before a call only where it would go on with them. */
function repeats(
  past: readonly PastCall[],
  about: AboutCall,
  { when, by }: { readonly when: 'before' | 'after'; readonly by: (entry: PastCall) => string },
): number {
  const barrier = past.findLastIndex(({ moved, waited }) => moved || waited)
  const keys = past.slice(barrier + 1).map(by)
  let most = 0
  for (let length = 1; length <= longestCycle; length += 1) {
    const expected = past.at(-length)
    if (when === 'before' && expected?.call !== about.call) continue
    most = Math.max(most, repeatsOf(keys, length))
  }
  return most
}

function repeatsOf(keys: readonly string[], length: number): number {
  let same = 0
  for (let at = keys.length - 1 - length; at >= 0 && keys[at] === keys[at + length]; at -= 1) same += 1
  return keys.length < length ? 0 : 1 + Math.floor(same / length)
}
