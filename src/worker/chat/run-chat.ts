import { type Clock, describeDuration, type Random, sayWait } from '../../kernel/index.ts'
import { callWithRetries, type WaitLedger } from '../provider/call-with-retries.ts'
import type { Endpoint, ModelCall, ModelMessage, ModelSettings } from '../provider/model-call.ts'
import type { CallUsage, ModelReply } from '../provider/reply.ts'
import { runTool } from '../tools/run-tool.ts'
import { describeTool, type Tool } from '../tools/tool.ts'
import { type ChatEnd, type ChatProgress, describeFault, endOfFault, failed, interrupted } from './chat-end.ts'
import { judgeReply } from './judge-reply.ts'
import type { ChatOptions } from './resolve-settings.ts'

export interface ChatDeps {
  readonly clock: Clock
  readonly random: Random
  /** One line for people; masked by the one who writes it. */
  readonly log: (line: string) => void
}

export interface ChatInput {
  readonly options: Pick<ChatOptions, 'maxTurns' | 'retry'> & {
    readonly model: string
    readonly limits: ModelCall['limits']
  }
  readonly endpoint: Endpoint
  readonly system: string
  readonly prompt: string
  readonly tools: readonly Tool[]
  readonly settings: ModelSettings
  /** Fires when the worker is told to stop. */
  readonly signal: AbortSignal
  readonly progress: ChatProgress
}

/**
 * The conversation from the prompt to its end: call the model, run what it asks for, tell it, call again. Tools run one
 * after the other. `progress` is kept current, for whoever has to report an early end.
 */
export async function runChat(deps: ChatDeps, input: ChatInput): Promise<ChatEnd> {
  const { options, progress } = input
  const { signal } = input
  const ledger: WaitLedger = { waitedMs: 0 }
  const offered = input.tools.map(describeTool)
  const attention = new AbortController().signal
  const messages: ModelMessage[] = [
    { role: 'system', text: input.system },
    { role: 'user', text: input.prompt },
  ]
  for (let turn = 1; turn <= options.maxTurns; turn += 1) {
    const startedMs = deps.clock.monotonicMs()
    const result = await callWithRetries(deps, {
      call: {
        endpoint: input.endpoint,
        model: options.model,
        messages,
        tools: offered,
        settings: input.settings,
        toolChoice: 'auto',
        contextTokens: 0,
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
    messages.push({ role: 'assistant', text: reply.text, toolCalls: reply.toolCalls })
    for (const call of reply.toolCalls) {
      const { text, summary } = await runTool(input.tools, call, { signal, attention })
      deps.log(summary)
      if (signal.aborted) return interrupted
      messages.push({ role: 'tool', callId: call.id, text })
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

function describeTurn(turn: number, { text, toolCalls, usage, finishReason }: ModelReply, tookMs: number): string {
  const tokens = usage === null ? 'tokens unknown' : `${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  const said = toolCalls.length > 0 && text.trim() !== '' ? `: ${text.replace(/\s+/g, ' ').trim().slice(0, 300)}` : ''
  return `turn ${turn}: ${finishReason} after ${describeDuration(tookMs)}, ${tokens}${said}`
}
