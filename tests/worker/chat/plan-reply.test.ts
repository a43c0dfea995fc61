import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopNote } from '../../../src/worker/chat/loop-note.ts'
import {
  mendLimits,
  nothingMended,
  planReply,
  type ReplyPlan,
  type ReplyView,
} from '../../../src/worker/chat/plan-reply.ts'
import type { ModelReply } from '../../../src/worker/provider/reply.ts'

const said = (reply: Partial<ModelReply>): ModelReply => ({
  text: '',
  refusal: '',
  toolCalls: [],
  finishReason: 'stop',
  usage: null,
  ...reply,
})

const view = (reply: Partial<ModelReply>, rest: Partial<Omit<ReplyView, 'reply'>> = {}): ReplyView => ({
  mended: nothingMended,
  afterTools: false,
  endings: [],
  outputLimit: null,
  reply: said(reply),
  ...rest,
})

/** The same reply again and again, until the plan ends it. */
function untilTheEnd(reply: Partial<ModelReply>, rest: Partial<Omit<ReplyView, 'reply'>> = {}): readonly ReplyPlan[] {
  const plans: ReplyPlan[] = []
  let mended = nothingMended
  let outputLimit = rest.outputLimit ?? null
  while (plans.at(-1)?.kind !== 'end' && plans.length < 50) {
    const plan = planReply(view(reply, { ...rest, mended, outputLimit }))
    plans.push(plan)
    mended = plan.mended
    if (plan.kind === 'again') outputLimit = plan.outputLimit
  }
  return plans
}

const kinds = (plans: readonly ReplyPlan[]) => plans.map(({ kind }) => kind)
const endOf = (plans: readonly ReplyPlan[]) => {
  const last = plans.at(-1)
  return last?.kind === 'end' ? last.end : undefined
}
const call = { id: 'c', name: 'write', argumentsText: '{"path":"a","conte' }

describe('a reply that is not whole is mended so often and no more', () => {
  test('a text that is cut goes on three times, then the run is partial', () => {
    const plans = untilTheEnd({ text: 'and then', finishReason: 'length' })

    expect(kinds(plans)).toEqual(['go_on', 'go_on', 'go_on', 'end'])
    expect(endOf(plans)).toMatchObject({ kind: 'partial', reason: 'output_truncated' })
  })

  test('a tool call that is cut is thrown away and asked for again with twice the limit, three times', () => {
    const plans = untilTheEnd({ toolCalls: [call], finishReason: 'length' }, { outputLimit: 4_000 })

    expect(plans.map((plan) => (plan.kind === 'again' ? plan.outputLimit : plan.kind))).toEqual([
      8_000,
      16_000,
      32_000,
      'end',
    ])
    expect(endOf(plans)).toMatchObject({ kind: 'partial', reason: 'output_truncated' })
  })

  test('where no limit is known, more is asked for than the reply had', () => {
    const plan = planReply(
      view({
        toolCalls: [call],
        finishReason: 'length',
        usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 20_000 },
      }),
    )

    expect(plan).toMatchObject({ kind: 'again', outputLimit: 40_000 })
  })

  test('a call that was announced and did not come is asked for again three times: one slip of a server ends no work', () => {
    const plans = untilTheEnd({ text: 'I look.', finishReason: 'tool_calls' })
    expect(kinds(plans)).toEqual(['again', 'again', 'again', 'end'])
    expect(plans[0]).toMatchObject({ say: expect.stringContaining('announced a tool call'), issue: 'empty' })
    expect(endOf(plans)).toMatchObject({ kind: 'failed', reason: 'protocol' })
  })

  test('an empty reply is asked for again three times; after results of tools the model is nudged once', () => {
    const alone = untilTheEnd({ text: ' \n' })
    const afterTools = untilTheEnd({}, { afterTools: true })

    expect(kinds(alone)).toEqual(['again', 'again', 'again', 'end'])
    expect(endOf(alone)).toMatchObject({ kind: 'failed', reason: 'empty_reply' })
    expect(alone.filter((plan) => plan.kind === 'again' && plan.say !== null)).toHaveLength(0)
    expect(afterTools.filter((plan) => plan.kind === 'again' && plan.say !== null)).toHaveLength(1)
  })

  test('thoughts without a word are asked to go on twice', () => {
    const plans = untilTheEnd({ reasoning: [{ model: 'm', beforeCall: 0, entry: {} }] })

    expect(kinds(plans)).toEqual(['again', 'again', 'end'])
    expect(endOf(plans)).toMatchObject({ kind: 'failed', reason: 'reasoning_only' })
  })

  test('a filter that hit the output is tried once more, a refusal never', () => {
    expect(kinds(untilTheEnd({ text: 'x', finishReason: 'content_filter' }))).toEqual(['again', 'end'])
    expect(kinds(untilTheEnd({ refusal: 'I cannot' }))).toEqual(['end'])
  })

  test('a model that says the same over and over is told once, then its run ends', () => {
    const plans = untilTheEnd({ text: 'I will now go and look at the file once more. '.repeat(40) })

    expect(kinds(plans)).toEqual(['again', 'end'])
    expect(endOf(plans)).toMatchObject({ kind: 'failed', reason: 'loop_guard' })
  })

  test('work in between gives a fresh allowance, but not of nudges', () => {
    const spent = { ...nothingMended, continued: 3, empties: 3, cutCalls: 3, nudges: 2 }

    const plan = planReply(view({ toolCalls: [{ ...call, argumentsText: '{}' }] }, { mended: spent }))

    expect(plan).toMatchObject({ kind: 'run_tools', mended: { ...nothingMended, nudges: 2 } })
  })
})

describe('where a tool ends the run, a plain answer does not', () => {
  const endings = ['complete', 'block']

  test('it is nudged twice and then not finished, its answer kept in the conversation', () => {
    const plans = untilTheEnd({ text: 'All is done.' }, { endings })

    expect(kinds(plans)).toEqual(['go_on', 'go_on', 'end'])
    expect(endOf(plans)).toMatchObject({ kind: 'partial', reason: 'not_finished' })
  })

  test('the nudge names the tools, and everybody can tell it from a user', () => {
    const plan = planReply(view({ text: 'All is done.' }, { endings }))

    expect(plan.kind === 'go_on' && plan.say).toContain('complete, block')
    expect(plan.kind === 'go_on' && isLoopNote(plan.say)).toBe(true)
  })

  test('without such a tool the answer is the end', () => {
    expect(planReply(view({ text: 'All is done.' }))).toMatchObject({ kind: 'end', end: { kind: 'completed' } })
  })
})

test('whatever a model sends for ever, it ends soon or runs tools; only a whole answer completes', () => {
  const reply = fc.record({
    text: fc.constantFrom('', ' ', 'a word', 'over and over again, it says it. '.repeat(60)),
    refusal: fc.constantFrom('', '', 'no'),
    toolCalls: fc.constantFrom([], [], [call]),
    finishReason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'eos', ''),
    usage: fc.constant(null),
  })
  fc.assert(
    fc.property(fc.array(reply, { minLength: 40, maxLength: 40 }), fc.boolean(), (replies, hasBoard) => {
      let mended = nothingMended
      for (const [index, one] of replies.entries()) {
        const plan = planReply(view(one, { mended, endings: hasBoard ? ['complete'] : [] }))
        if (plan.kind === 'run_tools') {
          expect(one.toolCalls).not.toHaveLength(0)
          return
        }
        if (plan.kind === 'end') {
          if (plan.end.kind !== 'completed') return
          expect([one.finishReason, hasBoard, one.text.trim() === '']).toEqual(['stop', false, false])
          return
        }
        mended = plan.mended
        expect(index).toBeLessThan(Object.values(mendLimits).reduce((sum, most) => sum + most, 0) * 3)
      }
    }),
  )
})
