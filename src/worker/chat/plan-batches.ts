import type { ToolCall } from '../provider/reply.ts'
import type { Tool } from '../tools/tool.ts'

/** Calls that may run at the same time (worker-facts c.11). */
export const mostAtOnce = 16

/**
 * The calls of one reply in the batches in which they are run, one batch after the other: calls that only read side by
 * side, one that writes alone. What no tool is for changes nothing, so it goes with the reads.
 */
export function planBatches(calls: readonly ToolCall[], tools: readonly Tool[]): readonly (readonly ToolCall[])[] {
  const effects = new Map(tools.map(({ name, effect }) => [name, effect]))
  const batches: ToolCall[][] = []
  let open: ToolCall[] | undefined
  for (const call of calls) {
    if (effects.get(call.name) === 'writes') {
      batches.push([call])
      open = undefined
    } else if (open === undefined || open.length === mostAtOnce) {
      open = [call]
      batches.push(open)
    } else {
      open.push(call)
    }
  }
  return batches
}
