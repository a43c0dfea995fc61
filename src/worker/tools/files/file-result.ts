import type { Redactor } from '../../../kernel/index.ts'
import type { ToolResult } from '../tool.ts'

/** What a file tool answers when it did nothing: the model reads why, and `counts` keeps the kind of refusal. */
export function refuse(tool: string, says: string, counts: readonly string[] = []): ToolResult {
  const [firstLine] = says.split('\n', 1)
  return {
    text: `error: ${says}`,
    summary: `${tool} refused: ${firstLine}`,
    outcome: 'failed',
    ...(counts.length === 0 ? {} : { counts }),
  }
}

/** What the model reads, with the values of known secrets taken out. */
export function maskResult(maskKnown: Redactor, result: ToolResult): ToolResult {
  return { ...result, text: maskKnown(result.text) }
}
