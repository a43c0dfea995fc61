import { cutAtWord, describeDuration, sayWait } from '../../kernel/index.ts'
import { type Counted, charsIn, estimateTokens, type Gauge, isCutByServer, type Sized } from '../context/estimate.ts'
import { charsOf } from '../context/messages.ts'
import { assumedWindowTokens, fullAt, isWorthCompacting, noCompactions } from '../context/plan-compaction.ts'
import { callWithRetries, type WaitLedger } from '../provider/call-with-retries.ts'
import { findSilentOverflow } from '../provider/faults/conversation-size.ts'
import type { ProviderFault } from '../provider/faults/fault.ts'
import type { CallResult, ModelCall, ModelMessage } from '../provider/model-call.ts'
import { lineUp, type ModelLine } from '../provider/model-line.ts'
import type { CallUsage, ModelReply } from '../provider/reply.ts'
import { type ChatEnd, describeFault, endOfFault } from './chat-end.ts'
import type { ChatDeps, ChatInput } from './chat-input.ts'
import type { Conversation } from './conversation.ts'
import type { RunTime } from './run-time.ts'
import type { Spending } from './spending.ts'

export type Asked =
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'end'; readonly end: ChatEnd }
  /** The signal has fired; whoever handed it in knows what for. */
  | { readonly kind: 'cut' }

export interface AskOrder {
  readonly toolChoice: ModelCall['toolChoice']
  readonly signal: AbortSignal
}

interface Parts {
  readonly conversation: Conversation
  readonly spending: Spending
  readonly time: RunTime
}

/** Compactions in one turn; a third overflow ends the run (worker-facts c.5). */
const mostForced = 2
/** What a summary is expected to have. */
const summaryTokens = 2_000

/**
 * The model, as one run asks it: with repeats and its line of models, condensing the conversation when it is full or when
 * the server says that it is too large, and counting what it costs.
 */
export class Asker {
  readonly #deps: ChatDeps
  readonly #input: ChatInput
  readonly #parts: Parts
  readonly #ledger: WaitLedger = { waitedMs: 0 }
  readonly #line: ModelLine
  #outputLimit: number | null
  /** The server has refused a larger output limit: no other is asked for. */
  #isLimitFixed = false
  #windowTokens: number | null
  #compactions = noCompactions
  #counted: Counted | undefined

  constructor(deps: ChatDeps, input: ChatInput, parts: Parts) {
    this.#deps = deps
    this.#input = input
    this.#parts = parts
    this.#line = lineUp(input.options.models)
    this.#outputLimit = input.options.settings.maxOutputTokens
    this.#windowTokens = input.options.contextTokens
  }

  get outputLimit(): number | null {
    return this.#outputLimit
  }

  raiseOutputLimit(tokens: number | null): void {
    if (!this.#isLimitFixed) this.#outputLimit = tokens
  }

  /** One turn of the model. */
  async ask(order: AskOrder): Promise<Asked> {
    await this.#compactWhenFull(order.signal)
    for (let forced = 0; ; ) {
      if (order.signal.aborted) return { kind: 'cut' }
      const result = await this.#call(order)
      if (result.kind === 'reply') {
        await this.#lookAtCount(result.reply, order.signal)
        return result
      }
      const { fault, partialText } = result
      if (fault.class === 'interrupted' || order.signal.aborted) {
        if (partialText !== '') this.#input.progress.text = partialText
        return { kind: 'cut' }
      }
      if (this.#takesBackLimit(fault)) continue
      if (fault.class === 'overflow' || this.#isDroppedForSize(result)) {
        forced += 1
        if (forced <= mostForced && (await this.makeRoom(order.signal, fault.statedWindowTokens))) continue
      }
      if (partialText !== '') this.#input.progress.text = partialText
      return { kind: 'end', end: endOfFault(fault) }
    }
  }

  /** Condenses the conversation although it may not look full. False: nothing in it can give way. */
  async makeRoom(signal: AbortSignal, statedTokens: number | null): Promise<boolean> {
    const known = Math.min(this.#windowTokens ?? assumedWindowTokens, this.#parts.conversation.tokens)
    this.#windowTokens = statedTokens ?? known
    return await this.#compact('forced', signal)
  }

  async #compactWhenFull(signal: AbortSignal): Promise<void> {
    const { conversation } = this.#parts
    const full = fullAt(this.#windowTokens ?? assumedWindowTokens, this.#outputLimit)
    if (conversation.tokens <= full || signal.aborted) return
    if (isWorthCompacting(this.#compactions, this.#deps.clock.monotonicMs())) await this.#compact('when_full', signal)
  }

  async #compact(how: 'when_full' | 'forced', signal: AbortSignal): Promise<boolean> {
    const { conversation } = this.#parts
    const { compact } = await import('../context/compact.ts')
    const before = conversation.tokens
    const compacted = await compact(
      { redact: this.#deps.redact, ask: (messages) => this.#askForSummary(messages, signal) },
      {
        messages: conversation.messages,
        tools: conversation.tools,
        gauge: conversation.gauge,
        windowTokens: this.#windowTokens ?? assumedWindowTokens,
        maxOutputTokens: this.#outputLimit,
        how,
      },
    )
    const nowMs = this.#deps.clock.monotonicMs()
    if (compacted.kind === 'nothing_to_give') {
      this.#compactions = { ...this.#compactions, freedShares: [...this.#compactions.freedShares.slice(-1), 0] }
      return false
    }
    conversation.replace(compacted.messages)
    this.#counted = undefined
    this.#input.progress.compactions += 1
    const after = conversation.tokens
    const freedShares = [...this.#compactions.freedShares.slice(-1), (before - after) / before]
    const failedAtMs = compacted.summary === 'failed' ? nowMs : this.#compactions.failedAtMs
    this.#compactions = { freedShares, failedAtMs }
    this.#deps.log(`the conversation was condensed: about ${before} tokens became ${after}`)
    return after < before
  }

  async #askForSummary(messages: readonly ModelMessage[], signal: AbortSignal): Promise<string | undefined> {
    const { conversation, spending } = this.#parts
    const inputTokens = estimateTokens(conversation.gauge, { messages, tools: [] })
    const model = this.#line.models[this.#line.at] ?? ''
    if (!spending.affords(model, { inputTokens, cachedTokens: 0, outputTokens: summaryTokens })) {
      this.#deps.log('no summary of the conversation is asked for: the budget does not hold it')
      return undefined
    }
    const result = await this.#call({ toolChoice: 'none', signal }, { messages, tools: [] })
    if (result.kind === 'reply' && result.reply.finishReason === 'stop') return result.reply.text
    this.#deps.log('no summary of the conversation could be had')
    return undefined
  }

  async #call({ toolChoice, signal }: AskOrder, sized: Sized = this.#parts.conversation): Promise<CallResult> {
    const { messages, tools } = sized
    const { options, endpoint, progress, lastRunReason = null } = this.#input
    const { conversation, spending, time } = this.#parts
    const { turn } = conversation
    const { clock, log, transcript } = this.#deps
    const startedMs = clock.monotonicMs()
    const result = await callWithRetries(this.#deps, {
      call: {
        endpoint,
        model: options.models[0] ?? '',
        messages,
        tools,
        settings: { ...options.settings, maxOutputTokens: this.#outputLimit },
        toolChoice,
        contextTokens: conversation.tokens,
        windowTokens: this.#windowTokens,
        runLeftMs: () => time.leftMs(),
        lastRunReason,
        limits: options.limits,
        signal,
      },
      policy: options.retry,
      ledger: this.#ledger,
      line: this.#line,
      onWait: ({ fault }, waitMs) => {
        progress.fault = fault
        const says = describeFault(fault)
        transcript.write({ kind: 'fault', turn, says, waitMs })
        log(`${says}; the same call again in ${sayWait(waitMs)}`)
      },
      onMove: ({ fault }, to) => log(`${describeFault(fault)}; the next model is asked: ${to}`),
    })
    if (result.kind === 'fault') {
      progress.fault = result.fault
      transcript.write({ kind: 'fault', turn, says: describeFault(result.fault), waitMs: null })
      return result
    }
    const { model, reply, sent } = result
    const costUsd = spending.note(model, reply.usage, guessUsage(conversation.gauge, { sized, reply }))
    const tookMs = clock.monotonicMs() - startedMs
    const { finishReason: finish, usage } = reply
    transcript.write({ kind: 'call', turn, model, tookMs: Math.round(tookMs), finish, usage, costUsd, sent })
    log(describeReply(turn, reply, tookMs))
    return result
  }

  /** A larger output limit was ours, not the user's: a server that refuses it is asked as before. */
  #takesBackLimit(fault: ProviderFault): boolean {
    const own = this.#input.options.settings.maxOutputTokens
    const isRefused = fault.class === 'failed' && ['bad_request', 'unsupported_param'].includes(fault.reason)
    if (!isRefused || this.#outputLimit === own) return false
    this.#outputLimit = own
    this.#isLimitFixed = true
    return true
  }

  #isDroppedForSize({ fault }: CallResult & { readonly kind: 'fault' }): boolean {
    // Before any answer it is told as not reached; a server that was not even found has seen nothing of its size.
    const isHungUp = fault.reason === 'unreachable' && fault.phase === 'headers'
    if (!(isHungUp || (fault.reason === 'dropped_stream' && fault.phase !== 'after-output'))) return false
    return findSilentOverflow({ conversation: this.#size(), usage: null, end: 'dropped_before_any_event' }) !== null
  }

  /** Learns from what was counted. A server that has cut the conversation without a word is given less before the next call. */
  async #lookAtCount({ usage }: ModelReply, signal: AbortSignal): Promise<void> {
    if (usage === null) return
    const { conversation } = this.#parts
    const now = { tokens: Math.max(usage.inputTokens, usage.cachedTokens), chars: charsIn(conversation) }
    const isOver = findSilentOverflow({ conversation: this.#size(), usage, end: 'answered' }) === 'over_window'
    const isCut = this.#counted !== undefined && isCutByServer(conversation.gauge, { last: this.#counted, now })
    // Growth that is not counted adds up over turns, so the call before it stays.
    const hasGrown = this.#counted === undefined || now.tokens > this.#counted.tokens
    if (hasGrown) this.#counted = now
    if (hasGrown) conversation.counted(usage.inputTokens)
    if (!isOver && !isCut) return
    const says = isCut
      ? 'the server has cut the conversation without a word'
      : 'the conversation has more tokens than the model is said to take'
    this.#deps.log(says)
    conversation.note(says)
    await this.makeRoom(signal, isCut ? now.tokens : this.#windowTokens)
  }

  #size() {
    const { tokens, messages } = this.#parts.conversation
    return { tokens, messages: messages.length, windowTokens: this.#windowTokens }
  }
}

/** For a call that its provider has not counted: all of it is taken for new. */
function guessUsage(gauge: Gauge, { sized, reply }: { readonly sized: Sized; readonly reply: ModelReply }): CallUsage {
  const outputTokens = Math.ceil(charsOf({ role: 'assistant', ...reply }) / gauge.charsPerToken)
  return { inputTokens: estimateTokens(gauge, sized), cachedTokens: 0, outputTokens }
}

function describeReply(turn: number, { text, toolCalls, usage, finishReason }: ModelReply, tookMs: number): string {
  const tokens = usage === null ? 'tokens unknown' : `${usage.inputTokens} tokens in, ${usage.outputTokens} out`
  const said = toolCalls.length > 0 && text.trim() !== '' ? `: ${cutAtWord(text.replace(/\s+/g, ' ').trim(), 300)}` : ''
  return `turn ${turn}: ${finishReason} after ${describeDuration(tookMs)}, ${tokens}${said}`
}
