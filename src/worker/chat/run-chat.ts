import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { type Clock, describeDuration, type Random, sayWait } from '../../kernel/index.ts'
import type { Endpoint } from '../provider/call-model.ts'
import { callWithRetries, type WaitLedger } from '../provider/call-with-retries.ts'
import type { CallUsage, ModelReply } from '../provider/reply.ts'
import type { ToolDeps } from '../tools/tool.ts'
import { describeTools, runTool } from '../tools/tool-set.ts'
import { type ChatEnd, type ChatProgress, describeFault, endOfFault, failed, interrupted } from './chat-end.ts'
import { judgeReply } from './judge-reply.ts'
import type { ChatOptions } from './parse-arguments.ts'

export interface ChatDeps {
  readonly clock: Clock
  readonly random: Random
  /** One line for people; masked by the one who writes it. */
  readonly log: (line: string) => void
}

export interface ChatInput {
  readonly options: Pick<ChatOptions, 'model' | 'maxTurns' | 'limits' | 'retry'>
  readonly endpoint: Endpoint
  readonly system: string
  readonly prompt: string
  readonly tools: ToolDeps
  readonly progress: ChatProgress
}

/**
 * The conversation from the prompt to its end: call the model, run what it asks for, tell it, call again. Tools run one
 * after the other. `progress` is kept current, for whoever has to report an early end.
 */
export async function runChat(deps: ChatDeps, input: ChatInput): Promise<ChatEnd> {
  const { options, progress } = input
  const { signal } = input.tools
  const ledger: WaitLedger = { waitedMs: 0 }
  const offered = describeTools(input.tools)
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: input.system },
    { role: 'user', content: input.prompt },
  ]
  for (let turn = 1; turn <= options.maxTurns; turn += 1) {
    const startedMs = deps.clock.monotonicMs()
    const result = await callWithRetries(deps, {
      call: {
        endpoint: input.endpoint,
        model: options.model,
        messages,
        tools: offered,
        limits: options.limits,
        signal,
      },
      policy: options.retry,
      ledger,
      onWait: ({ fault }, waitMs) => deps.log(`${describeFault(fault)}; the same call again in ${sayWait(waitMs)}`),
    })
    progress.turns = turn
    if (result.kind === 'fault') {
      if (result.partialText !== '') progress.text = result.partialText
      return endOfFault(result.fault)
    }
    const { reply } = result
    note(progress, reply)
    deps.log(describeTurn(turn, reply, deps.clock.monotonicMs() - startedMs))
    const next = judgeReply(reply)
    if (next.kind === 'end') return next.end
    messages.push(assistantMessage(reply))
    for (const call of reply.toolCalls) {
      const { text, summary } = await runTool(input.tools, call)
      deps.log(summary)
      if (signal.aborted) return interrupted
      messages.push({ role: 'tool', tool_call_id: call.id, content: text })
    }
  }
  return failed('turn_limit', `not finished after ${options.maxTurns} turns`, 'partial')
}

function note(progress: ChatProgress, { text, usage }: ModelReply): void {
  progress.calls += 1
  if (text.trim() !== '') progress.text = text
  if (usage !== null) progress.usage = addUsage(progress.usage, usage)
}

function addUsage(sum: CallUsage | null, usage: CallUsage): CallUsage {
  return {
    inputTokens: (sum?.inputTokens ?? 0) + usage.inputTokens,
    cachedTokens: (sum?.cachedTokens ?? 0) + usage.cachedTokens,
    outputTokens: (sum?.outputTokens ?? 0) + usage.outputTokens,
  }
}

function assistantMessage({ text, toolCalls }: ModelReply): ChatCompletionMessageParam {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: toolCalls.map(({ id, name, argumentsText }) => ({
      id,
      type: 'function',
      // Malformed arguments are told to the model in the result; sent back as they are, some servers refuse the call.
      function: { name, arguments: isJson(argumentsText) ? argumentsText : '{}' },
    })),
  }
}

function describeTurn(turn: number, { text, toolCalls, usage, finishReason }: ModelReply, tookMs: number): string {
  const tokens = usage === null ? 'tokens unknown' : `${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  const said = toolCalls.length > 0 && text.trim() !== '' ? `: ${text.replace(/\s+/g, ' ').trim().slice(0, 300)}` : ''
  return `turn ${turn}: ${finishReason} after ${describeDuration(tookMs)}, ${tokens}${said}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false // which is the answer
  }
}
