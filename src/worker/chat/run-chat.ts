import type { ModelReply } from '../provider/reply.ts'
import { count, countReply, followTools } from '../record/counters.ts'
import { describeTool, type ToolEnd } from '../tools/tool.ts'
import { Asker } from './ask-model.ts'
import { type ChatEnd, completed, failed, interrupted, lostClaim } from './chat-end.ts'
import type { ChatDeps, ChatInput } from './chat-input.ts'
import { Conversation } from './conversation.ts'
import { digest } from './guards/canonical-call.ts'
import { freshGuards } from './guards/guard-memory.ts'
import { rememberedCalls } from './guards/thresholds.ts'
import { NewsDesk } from './news-desk.ts'
import { notices } from './notices.ts'
import { planBudget } from './plan-budget.ts'
import { nothingMended, planReply, type ReplyPlan } from './plan-reply.ts'
import { runRound } from './run-round.ts'
import { RunTime } from './run-time.ts'
import { Spending } from './spending.ts'

/**
 * The conversation from the prompt to its end: call the model, run what it asks for, tell it, call again. What a reply
 * means, what is left of the budgets and whether a call goes round in circles is decided by pure planners; this looks,
 * asks and carries out. Ends once: by an answer, a tool that ends the run, a budget, a guard, a fault or a stop.
 */
export async function runChat(deps: ChatDeps, input: ChatInput): Promise<ChatEnd> {
  const loop = new ChatLoop(deps, input)
  try {
    return await loop.run()
  } finally {
    loop.close()
  }
}

/** Tools with which a run is ended; where one is offered, a plain answer is no end. */
const endingTools = ['complete', 'block', 'review']
/** Replies in a row with calls of tools that do not exist, or with arguments that do not fit (worker-facts c.4). */
const mostMisshapen = 3

class ChatLoop {
  readonly #deps: ChatDeps
  readonly #input: ChatInput
  readonly #closed = new AbortController()
  readonly #stop: AbortSignal
  readonly #time: RunTime
  readonly #news: NewsDesk
  readonly #conversation: Conversation
  readonly #spending: Spending
  readonly #asker: Asker
  readonly #endings: readonly string[]
  readonly #follow: ReturnType<typeof followTools>
  #guards = freshGuards
  #mended = nothingMended
  #misshapen = { unknown: 0, bad: 0 }
  #told: ReadonlySet<string> = new Set()
  #said: readonly string[] = []
  /** Of an answer that goes on in the next reply. */
  #answerSoFar = ''
  #repairs = 0

  constructor(deps: ChatDeps, input: ChatInput) {
    const { board, options, progress, signal, startedMs, tools } = input
    this.#deps = deps
    this.#input = input
    this.#stop = board === undefined ? signal : AbortSignal.any([signal, board.ended])
    this.#news = new NewsDesk(deps, { board, signal: this.#closed.signal })
    const onCheckpoint = () => this.#news.callForAttention()
    this.#time = new RunTime(deps, { startedMs, runMs: options.runMs, onCheckpoint })
    this.#conversation = new Conversation(deps, tools.map(describeTool))
    this.#spending = new Spending(progress, options)
    const parts = { conversation: this.#conversation, spending: this.#spending, time: this.#time }
    this.#asker = new Asker(deps, input, parts)
    const names = tools.map(({ name }) => name)
    this.#endings = names.includes('complete') ? endingTools.filter((name) => names.includes(name)) : []
    this.#follow = followTools(progress.counters)
  }

  /** Ends timers and listeners. */
  close(): void {
    this.#time.close()
    this.#closed.abort()
  }

  async run(): Promise<ChatEnd> {
    this.#begin()
    for (;;) {
      const end = this.#stopped() ?? (await this.#turn())
      if (end !== undefined) return end
    }
  }

  #begin(): void {
    const { system, before = [], prompt, answer } = this.#input
    const asked = answer === undefined ? prompt : `${prompt}\n\n${answer.instructions}`
    this.#conversation.add({ role: 'system', text: system }, ...before, { role: 'user', text: asked })
  }

  /** Undefined: nobody has told it to stop. */
  #stopped(): ChatEnd | undefined {
    if (!this.#stop.aborted) return undefined
    const by = this.#input.board?.endedBy()
    if (by?.kind === 'over') return lostClaim(by.text)
    return by === undefined ? interrupted : { ...interrupted, message: `asked to stop: ${by.text}` }
  }

  async #turn(): Promise<ChatEnd | undefined> {
    const { options, progress } = this.#input
    const budget = planBudget({
      turns: progress.turns,
      maxTurns: options.maxTurns,
      tokens: this.#spending.tokens(),
      usd: this.#spending.usd(),
      time: this.#time.view(),
      told: this.#told,
    })
    if (budget.kind === 'end') {
      const end = failed(budget.reason, budget.says, 'partial')
      return budget.lastWords === 'asked' ? await this.#lastWords(end) : end
    }
    this.#told = new Set([...this.#told, ...budget.tell.map(({ name }) => name)])
    for (const { say } of budget.tell) this.#say(say)
    for (const text of this.#news.take()) this.#say(text)
    this.#conversation.turn = progress.turns + 1
    const asked = await this.#asker.ask({ toolChoice: 'auto', signal: AbortSignal.any([this.#stop, this.#time.up]) })
    if (asked.kind === 'cut') return this.#stopped() // else its time is up, and the next look at the budget says so
    if (asked.kind === 'end') return asked.end
    progress.turns += 1
    return await this.#heard(asked.reply)
  }

  async #heard(reply: ModelReply): Promise<ChatEnd | undefined> {
    const plan = planReply({
      reply,
      mended: this.#mended,
      afterTools: this.#conversation.endsWithResult,
      endings: this.#endings,
      outputLimit: this.#asker.outputLimit,
    })
    this.#mended = plan.mended
    countReply(this.#input.progress.counters, plan.issue === undefined ? [] : [plan.issue])
    if (plan.kind !== 'again') this.#keep(reply, plan)
    switch (plan.kind) {
      case 'end':
        if (reply.text !== '') this.#conversation.add(messageOf({ ...reply, toolCalls: [] }))
        return plan.end.kind === 'completed' ? this.#answered() : plan.end
      case 'compact':
        return await this.#makeRoom()
      case 'again':
        this.#asker.raiseOutputLimit(plan.outputLimit)
        if (plan.say !== null) this.#say(plan.say)
        return undefined
      case 'go_on':
        this.#conversation.add(messageOf(reply))
        this.#say(plan.say)
        return undefined
      case 'run_tools':
        this.#conversation.add(messageOf(reply))
        return await this.#runTools(reply)
    }
  }

  /** The last text of the model is what it leaves, whatever comes; an answer in parts is put together. */
  #keep({ text }: ModelReply, plan: ReplyPlan): void {
    const { progress, board } = this.#input
    if (plan.kind === 'end' && plan.end.reason === 'loop_guard') return
    if (text.trim() !== '') progress.text = `${this.#answerSoFar}${text}`
    this.#answerSoFar = plan.kind === 'go_on' && plan.answer === 'goes_on' ? `${this.#answerSoFar}${text}` : ''
    const said = digest(text.trim())
    if (text.trim() === '' || this.#said.includes(said)) return
    this.#said = [...this.#said, said].slice(-rememberedCalls)
    board?.noteProgress()
  }

  /** A plain answer, where that may be the end: it has to fit its form, and nobody may have said anything in between. */
  #answered(): ChatEnd | undefined {
    const { answer, progress } = this.#input
    if (this.#news.isWaiting()) return undefined // the next turn begins with it
    const checked = answer?.check(progress.text)
    if (checked === undefined || checked.ok) {
      if (checked !== undefined) progress.data = checked.value
      return completed
    }
    this.#repairs += 1
    if (this.#repairs > 1) {
      return failed('output_schema', `the answer does not fit its schema: ${checked.says}`, 'partial')
    }
    this.#say(notices.doesNotFit(checked.says))
    return undefined
  }

  async #makeRoom(): Promise<ChatEnd | undefined> {
    const hasRoom = await this.#asker.makeRoom(this.#stop, null)
    return hasRoom ? undefined : failed('context_overflow', 'the conversation is larger than the model can take')
  }

  async #runTools(reply: ModelReply): Promise<ChatEnd | undefined> {
    const { board, progress, tools } = this.#input
    const { log } = this.#deps
    const round = await this.#news.attentive((attention) =>
      runRound(
        { log, counters: progress.counters, follow: this.#follow },
        {
          calls: reply.toolCalls,
          tools,
          turn: progress.turns,
          guards: this.#guards,
          signal: AbortSignal.any([this.#stop, this.#time.up]),
          attention,
          onProgress: () => board?.noteProgress(),
        },
      ),
    )
    this.#guards = round.guards
    this.#conversation.add(...round.results.map(({ callId, text }) => ({ role: 'tool', callId, text }) as const))
    if (round.ends !== null) return this.#endedByTool(round.ends)
    const stopped = this.#stopped()
    if (stopped !== undefined) return stopped
    if (round.guard !== null) return this.#endedByGuard(round.guard.says)
    return this.#misshapenEnd(round.shapes)
  }

  /** What the board has taken holds, whatever else has happened meanwhile. */
  #endedByTool({ call, text, data, delivery }: ToolEnd): ChatEnd {
    const undelivered = delivery === 'board_unreachable' ? { delivery } : {}
    if (call === 'complete') {
      this.#input.progress.text = text
      if (data !== undefined) this.#input.progress.data = data
      return { ...completed, ...undelivered }
    }
    const reason = { block: 'blocked', review: 'review', wait: 'waiting' }[call]
    return { ...failed(reason, text, 'partial'), ...undelivered }
  }

  #endedByGuard(says: string): ChatEnd {
    this.#conversation.note(`a loop guard ends the run: ${says}`)
    return failed('loop_guard', `it went round in circles: ${says}`)
  }

  #misshapenEnd({ unknown, bad, good }: { unknown: number; bad: number; good: number }): ChatEnd | undefined {
    const { counters } = this.#input.progress
    if (unknown > 0) count(counters, 'reply_unknown_tool')
    if (bad > 0) count(counters, 'reply_bad_arguments')
    this.#misshapen = {
      unknown: unknown > 0 && good === 0 ? this.#misshapen.unknown + 1 : 0,
      bad: bad > 0 && good === 0 ? this.#misshapen.bad + 1 : 0,
    }
    const times = `${mostMisshapen} times in a row`
    if (this.#misshapen.unknown >= mostMisshapen) {
      return failed('tool_schema', `the model called tools that do not exist, ${times}`)
    }
    if (this.#misshapen.bad >= mostMisshapen) {
      return failed('tool_schema', `the model called tools with arguments that do not fit, ${times}`)
    }
    return undefined
  }

  /** One last call without tools, so that whoever goes on knows how far the work has come. */
  async #lastWords(end: ChatEnd): Promise<ChatEnd> {
    const { progress } = this.#input
    this.#say(notices.lastWords(end.message ?? 'the run ends'))
    this.#conversation.turn += 1
    const asked = await this.#asker.ask({
      toolChoice: 'none',
      signal: AbortSignal.any([this.#stop, this.#time.over]),
    })
    if (asked.kind === 'reply' && asked.reply.text.trim() !== '') {
      progress.text = asked.reply.text
      this.#conversation.add(messageOf({ ...asked.reply, toolCalls: [] }))
    }
    return this.#stopped() ?? end
  }

  #say(text: string): void {
    this.#conversation.add({ role: 'user', text })
    this.#conversation.note(text)
  }
}

function messageOf({ text, toolCalls, reasoning }: ModelReply) {
  return { role: 'assistant', text, toolCalls, ...(reasoning === undefined ? {} : { reasoning }) } as const
}
