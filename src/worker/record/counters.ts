/**
 * What a run counts of itself, for its report: how edits were matched (`edit_exact`, …), guards that fired (`guard_…`),
 * tool calls that failed and were mended (`tool_failed`, `tool_recovered`), how it ended (`end_…`), replies with something
 * wrong (`reply_…`) and, as the denominator of all, `replies` and `tool_calls`. Only what happened has a row.
 */
export type Counters = Record<string, number>

export function count(counters: Counters, ...names: readonly string[]): void {
  for (const name of names) counters[name] = (counters[name] ?? 0) + 1
}

/** What can be wrong with a reply; anything else is counted by nobody. */
export type ReplyIssue =
  | 'empty'
  | 'truncated'
  | 'refused'
  | 'reasoning_only'
  | 'unknown_tool'
  | 'bad_arguments'
  | 'stopped_early'

/** One reply of the model, with everything that is wrong with it. */
export function countReply(counters: Counters, issues: readonly ReplyIssue[]): void {
  count(counters, 'replies', ...issues.map((issue) => `reply_${issue}`))
}

/**
 * Follows tool calls: one that failed and then works is a recovery, counted once for each time that the tool had been
 * failing. Names of tools do not go into the counters: a model can make up any.
 */
export function followTools(
  counters: Counters,
): (call: {
  readonly tool: string
  readonly outcome: 'ok' | 'failed'
  readonly counts?: readonly string[] | undefined
}) => void {
  const failing = new Set<string>()
  return ({ tool, outcome, counts = [] }) => {
    count(counters, 'tool_calls', ...counts)
    if (outcome === 'failed') {
      count(counters, 'tool_failed')
      failing.add(tool)
    } else if (failing.delete(tool)) count(counters, 'tool_recovered')
  }
}

/** How the run ended: by a call of the board, or as its report says (`end_complete`, `end_wall`, …). */
export function countEnd(counters: Counters, end: string): void {
  count(counters, `end_${end}`)
}
