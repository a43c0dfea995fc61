import { cutAtWord, suggestName } from '../../kernel/index.ts'
import type { ToolCall } from '../provider/reply.ts'
import { parseToolArguments, type Tool, type ToolOrder, type ToolResult } from './tool.ts'

/** Runs one call of the model. What it did wrong is told to it as the result, so that it can mend it. */
export async function runTool(
  tools: readonly Tool[],
  call: ToolCall,
  order: Omit<ToolOrder, 'callId'>,
): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name)
    const other = names.length === 0 ? ', and no other here: answer in words' : `: ${suggestName(call.name, names)}`
    return failed(`there is no tool ${cutAtWord(call.name, 100)}${other}`, 'tool_unknown')
  }
  const parsed = parseToolArguments(tool, call.argumentsText)
  if (!parsed.ok) return failed(parsed.says, 'tool_bad_arguments')
  try {
    return await tool.run(parsed.args, { ...order, callId: call.id })
  } catch (fault) {
    return failed(`${tool.name} did not work: ${fault instanceof Error ? fault.message : String(fault)}`, 'tool_fault')
  }
}

function failed(says: string, counts: string): ToolResult {
  return { text: `error: ${says}`, summary: says, outcome: 'failed', counts: [counts] }
}
