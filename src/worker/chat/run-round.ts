import type { ToolCall } from '../provider/reply.ts'
import { type Counters, count, type followTools } from '../record/counters.ts'
import { runTool } from '../tools/run-tool.ts'
import type { Tool, ToolEnd, ToolResult } from '../tools/tool.ts'
import { capResults } from './cap-results.ts'
import { digestCall } from './guards/canonical-call.ts'
import { type Fired, type GuardMemory, judgeCall, noteCall } from './guards/guard-memory.ts'
import { digestResult } from './guards/normalise-result.ts'
import { planBatches } from './plan-batches.ts'

export interface RoundDeps {
  readonly log: (line: string) => void
  readonly counters: Counters
  readonly follow: ReturnType<typeof followTools>
}

export interface RoundInput {
  readonly calls: readonly ToolCall[]
  readonly tools: readonly Tool[]
  readonly turn: number
  readonly guards: GuardMemory
  /** Fires when nothing more may be begun. */
  readonly signal: AbortSignal
  /** Fires when somebody wants the model's attention. */
  readonly attention: AbortSignal
  /** A call that worked and was new. */
  readonly onProgress: () => void
}

/** What came of the calls of one reply. */
export interface Round {
  /** One for each call, in the order of the calls, cut to fit. */
  readonly results: readonly { readonly callId: string; readonly text: string }[]
  readonly guards: GuardMemory
  /** A board tool has ended the run. */
  readonly ends: ToolEnd | null
  /** A guard has. */
  readonly guard: Fired | null
  /** Calls of tools that do not exist, arguments that do not fit, and calls that were neither. */
  readonly shapes: { readonly unknown: number; readonly bad: number; readonly good: number }
}

interface Answered {
  readonly call: ToolCall
  readonly result: ToolResult
  /** Said after the result, whatever is cut of it. */
  readonly warning: string
}

const notRun = (why: string): ToolResult => ({
  text: `[not run: ${why}]`,
  summary: `not run: ${why}`,
  outcome: 'failed',
})

/**
 * Runs the calls of one reply: those that read side by side, those that write one by one, and each has its result, also
 * one that was not run. One that fails changes nothing for the others. After a call that ends the run none is begun.
 */
export async function runRound(deps: RoundDeps, input: RoundInput): Promise<Round> {
  let guards = input.guards
  let ends: ToolEnd | null = null
  let guard: Fired | null = null
  const answered: Answered[] = []
  for (const batch of planBatches(input.calls, input.tools)) {
    const started = batch.map((call) => {
      if (ends !== null) return { call, kind: 'not_run', result: notRun('the run has ended') } as const
      if (guard !== null) return { call, kind: 'not_run', result: notRun(guard.says) } as const
      if (input.signal.aborted)
        return { call, kind: 'not_run', result: notRun('there is no time left for it') } as const
      const verdict = judgeCall(guards, { ...aboutOf(call, input.tools), turn: input.turn })
      if (verdict.kind === 'run') return { call, kind: 'run', result: start(input, call) } as const
      guards = verdict.memory
      count(deps.counters, `guard_${verdict.guard}`)
      deps.log(`guard ${verdict.guard}: ${verdict.says}; the call is refused`)
      if (verdict.kind === 'end') guard = verdict
      return { call, kind: 'not_run', result: refused(verdict) } as const
    })
    for (const { call, kind, result: running } of started) {
      const result = await running
      if (kind === 'not_run') {
        answered.push({ call, result, warning: '' })
        continue
      }
      deps.log(result.summary)
      deps.follow({ tool: call.name, outcome: result.outcome, counts: result.counts })
      const noted = noteCall(guards, { ...aboutOf(call, input.tools), ...seenOf(result), turn: input.turn })
      guards = noted.memory
      if (noted.isProgress) input.onProgress()
      if (noted.warning !== null) {
        count(deps.counters, `guard_${noted.warning.guard}`)
        deps.log(`guard ${noted.warning.guard}: ${noted.warning.says}`)
      }
      guard ??= noted.end
      ends ??= result.ends ?? null
      answered.push({ call, result, warning: noted.warning === null ? '' : sayWarning(noted.warning) })
    }
  }
  return { results: resultsOf(answered), guards, ends, guard, shapes: shapesOf(answered) }
}

async function start(input: RoundInput, call: ToolCall): Promise<ToolResult> {
  const { tools, signal, attention } = input
  return await runTool(tools, call, { signal, attention })
}

function aboutOf(call: ToolCall, tools: readonly Tool[]) {
  const effect = tools.find(({ name }) => name === call.name)?.effect ?? 'reads'
  return { tool: call.name, effect, call: digestCall(call) } as const
}

function seenOf({ text, outcome, moved = false, waited = false, unchanged = false, counts = [] }: ToolResult) {
  return {
    result: digestResult(text),
    outcome,
    moved,
    waited,
    unchanged,
    timedOut: counts.includes('command_timed_out'),
  }
}

const refused = ({ says }: Fired): ToolResult => ({
  text: `error: this call was not made: ${says}. Do something else, or say why you cannot go on.`,
  summary: `not made: ${says}`,
  outcome: 'failed',
})

const sayWarning = ({ says }: Fired): string =>
  `\n\n[warning: ${says}. Change something first, or try another way: soon this is refused, and then the run ends.]`

function resultsOf(answered: readonly Answered[]): Round['results'] {
  const texts = capResults(answered.map(({ result }) => result.text))
  return answered.map(({ call, warning }, index) => ({ callId: call.id, text: `${texts[index] ?? ''}${warning}` }))
}

function shapesOf(answered: readonly Answered[]): Round['shapes'] {
  const has = (name: string) => answered.filter(({ result }) => result.counts?.includes(name) === true).length
  const unknown = has('tool_unknown')
  const bad = has('tool_bad_arguments')
  return { unknown, bad, good: answered.length - unknown - bad }
}
