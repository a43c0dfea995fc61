import { suggestName } from '../../kernel/index.ts'
import type { ToolCall } from '../provider/reply.ts'
import { handBackTool } from './hand-back.ts'
import { readTool } from './read-file.ts'
import { terminalTool } from './terminal.ts'
import { describeTool, parseToolArguments, type ToolDeps, type ToolResult } from './tool.ts'
import { writeTool } from './write-file.ts'

const tools = [terminalTool, readTool, writeTool, handBackTool]

/** The tools as every call offers them to the model. */
export function describeTools({ handedBack }: Pick<ToolDeps, 'handedBack'>) {
  return tools.filter((tool) => tool !== handBackTool || handedBack !== undefined).map(describeTool)
}

/** Runs one call of the model. What it did wrong is told to it as the result, so that it can mend it. */
export async function runTool(deps: ToolDeps, call: ToolCall): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const names = tools.map(({ name }) => name)
    return failed(`there is no tool ${call.name}: ${suggestName(call.name, names)}`)
  }
  const parsed = parseToolArguments(tool, call.argumentsText)
  if (!parsed.ok) return failed(parsed.says)
  try {
    return await tool.run(deps, parsed.args)
  } catch (fault) {
    return failed(`${tool.name} did not work: ${fault instanceof Error ? fault.message : String(fault)}`)
  }
}

const failed = (says: string): ToolResult => ({ text: `error: ${says}`, summary: says })
