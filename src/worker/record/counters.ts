/**
 * What a run counts of itself, for its report: how edits were matched (`edit_exact`, …), guards that fired (`guard_…`),
 * tool calls that failed and were mended (`tool_failed`, `tool_recovered`), how it ended (`end_…`), replies with something
 * wrong (`reply_…`) and, as the denominator of all, `replies` and `tool_calls`.
 */
export type Counters = Record<string, number>

export function count(counters: Counters, ...names: readonly string[]): void {
  for (const name of names) counters[name] = (counters[name] ?? 0) + 1
}
