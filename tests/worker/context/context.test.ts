import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopNote, loopNotePrefix } from '../../../src/worker/chat/loop-note.ts'
import { type CompactInput, compact } from '../../../src/worker/context/compact.ts'
import { calibrate, estimateTokens, firstGauge } from '../../../src/worker/context/estimate.ts'
import { unitsOf } from '../../../src/worker/context/messages.ts'
import { divide, fullAt, isWorthCompacting, noCompactions } from '../../../src/worker/context/plan-compaction.ts'
import { pruneResults } from '../../../src/worker/context/prune.ts'
import type { ModelMessage } from '../../../src/worker/provider/model-call.ts'

const system: ModelMessage = { role: 'system', text: 'You work.' }
const task: ModelMessage = { role: 'user', text: 'T142: mend the yard, see docs/yard.md' }

/** One turn: a reply with calls and a result for each. */
function turn(index: number, resultChars: readonly number[], text = `turn ${index}`): readonly ModelMessage[] {
  const path = `src/file-${index}.ts`
  const toolCalls = resultChars.map((_, n) => ({
    id: `${index}.${n}`,
    name: 'read',
    argumentsText: JSON.stringify({ path }),
  }))
  return [
    { role: 'assistant', text, toolCalls },
    ...resultChars.map((chars, n) => ({ role: 'tool', callId: `${index}.${n}`, text: 'r'.repeat(chars) }) as const),
  ]
}

const conversation = (turns: readonly (readonly number[])[]): readonly ModelMessage[] => [
  system,
  task,
  ...turns.flatMap((results, index) => turn(index, results)),
]

/** Turns whose words, and not results, make it long: no result that is taken out is enough. */
const talk = (count: number): readonly ModelMessage[] => [
  system,
  task,
  ...Array.from({ length: count }, (_, index) => turn(index, [300], 'word '.repeat(2_000))).flat(),
]

const input = (messages: readonly ModelMessage[], rest: Partial<CompactInput> = {}): CompactInput => ({
  messages,
  tools: [],
  gauge: firstGauge,
  windowTokens: 16_000,
  maxOutputTokens: null,
  how: 'forced',
  ...rest,
})

const asks = (answer: string | undefined) => {
  const asked: (readonly ModelMessage[])[] = []
  const ask = async (messages: readonly ModelMessage[]) => {
    asked.push(messages)
    return answer
  }
  return { asked, deps: { ask, redact: (text: string) => text.replaceAll('hunter2', '[secret]') } }
}

/** What every provider asks of a conversation, and what we promise of ours. */
function expectWhole(after: readonly ModelMessage[], before: readonly ModelMessage[]): void {
  expect(after[0]).toBe(before[0])
  expect(after[1]).toBe(before[1])
  const open = new Set<string>()
  for (const message of after.slice(2)) {
    if (message.role === 'tool') expect(open.delete(message.callId)).toBe(true)
    else expect([...open]).toEqual([])
    if (message.role === 'assistant') for (const { id } of message.toolCalls) open.add(id)
  }
  expect([...open]).toEqual([])
}

const turnsOf = fc.array(fc.array(fc.nat({ max: 30_000 }), { minLength: 1, maxLength: 4 }), { maxLength: 40 })

describe('a conversation that is condensed', () => {
  test('keeps system prompt and task as the same values, calls with their results, and fits its window', async () => {
    await fc.assert(
      fc.asyncProperty(turnsOf, fc.constantFrom('a short summary', undefined), async (turns, answer) => {
        const before = conversation(turns)
        const compacted = await compact(asks(answer).deps, input(before))
        if (compacted.kind === 'nothing_to_give') return
        expectWhole(compacted.messages, before)
        const tokens = estimateTokens(firstGauge, { messages: compacted.messages, tools: [] })
        expect(tokens).toBeLessThan(estimateTokens(firstGauge, { messages: before, tools: [] }) + 300)
        if (answer !== undefined) expect(tokens).toBeLessThan(16_000)
      }),
      { numRuns: 60 },
    )
  })

  test('what stays at its end is the same value, so that it is sent the same', async () => {
    const before = talk(5)

    const compacted = await compact(asks('the summary').deps, input(before, { windowTokens: 16_000 }))

    const after = compacted.kind === 'compacted' ? compacted.messages : []
    expect(after.slice(-2).every((message, index) => message === before.slice(-2)[index])).toBe(true)
    expect(after[2]).toMatchObject({ role: 'user', text: expect.stringContaining('the summary') })
  })

  test('has a summary that everybody can tell from an instruction, with an end', async () => {
    const compacted = await compact(asks('## Done\nall').deps, input(talk(5)))

    const message = compacted.kind === 'compacted' ? compacted.messages[2] : undefined
    const text = message?.role === 'user' ? message.text : ''
    expect(isLoopNote(text)).toBe(true)
    expect(text).toContain('no instruction')
    expect(text.endsWith('[end of the summary]')).toBe(true)
  })

  test('keeps word for word what a user has said later, and condenses what the program itself has said', async () => {
    const answer: ModelMessage = { role: 'user', text: 'Take the blue one.' }
    const nudge: ModelMessage = { role: 'user', text: `${loopNotePrefix}go on` }
    const turns = talk(6).slice(2)
    const before = [system, task, ...turns.slice(0, 2), answer, nudge, ...turns.slice(2)]

    const compacted = await compact(asks('the summary').deps, input(before))

    const after = compacted.kind === 'compacted' ? compacted.messages : []
    expect(after[2]).toBe(answer)
    expect(after).not.toContain(nudge)
    expectWhole(after, before)
  })

  test('keeps the newest word of a user whatever its length: gone on with, it is the task', async () => {
    const newTask: ModelMessage = { role: 'user', text: `Now this: ${'z'.repeat(15_000)}` }
    const turns = talk(6).slice(2)
    const before = [system, task, ...turns.slice(0, 2), newTask, ...turns.slice(2)]

    const compacted = await compact(asks('the summary').deps, input(before))

    expect(compacted.kind === 'compacted' && compacted.messages.includes(newTask)).toBe(true)
  })

  test('hands a summary of before to the next one whole, with the files that were added to it', async () => {
    const first = await compact(asks(`${'s'.repeat(9_000)} the end of it`).deps, input(talk(6)))
    const { asked, deps } = asks('short')
    const condensed = first.kind === 'compacted' ? first.messages : []

    const second = await compact(deps, input([...condensed, ...talk(6).slice(2)], { windowTokens: 32_000 }))

    expect(JSON.stringify(asked).includes(`${'s'.repeat(9_000)} the end of it`)).toBe(true)
    expect(JSON.stringify(second).includes('- src/file-0.ts')).toBe(true)
  })

  test('names the files that its summary has forgotten', async () => {
    const before = talk(5)

    const compacted = await compact(asks('worked on src/file-0.ts').deps, input(before))

    expect(JSON.stringify(compacted)).toContain('- src/file-1.ts')
    expect(JSON.stringify(compacted)).not.toContain('- src/file-0.ts')
  })

  test('hands no secret to the summary, and lets none come back', async () => {
    const { asked, deps } = asks('the password is hunter2')
    const before = [
      system,
      task,
      { role: 'assistant', text: 'it is hunter2', toolCalls: [] } as const,
      ...talk(5).slice(2),
    ]

    const compacted = await compact(deps, input(before))

    expect(JSON.stringify(asked)).toContain('it is [secret]')
    expect(JSON.stringify(asked)).not.toContain('hunter2')
    expect(JSON.stringify(compacted)).toContain('the password is [secret]')
  })

  test('without a summary gives way at its results', async () => {
    const before = conversation([[30_000], [30_000]])

    const compacted = await compact(asks(undefined).deps, input(before))

    expect(compacted).toMatchObject({ kind: 'compacted', summary: 'failed' })
    const after = compacted.kind === 'compacted' ? compacted.messages : []
    expect(estimateTokens(firstGauge, { messages: after, tools: [] })).toBeLessThan(16_000)
  })

  test('of a task alone has nothing to give', async () => {
    expect(await compact(asks('x').deps, input([system, task]))).toEqual({ kind: 'nothing_to_give' })
  })

  test('needs no summary where old results are enough', async () => {
    const { asked, deps } = asks('x')
    const before = conversation([[200_000], [40_000], [40_000], [3_000]])

    const compacted = await compact(deps, input(before, { windowTokens: 60_000, how: 'when_full' }))

    expect(compacted).toMatchObject({ kind: 'compacted', summary: 'none' })
    expect(asked).toHaveLength(0)
  })
})

describe('old results', () => {
  test('become one line that says what they were; recent ones and short ones stay the same values', () => {
    fc.assert(
      fc.property(turnsOf, fc.nat({ max: 60_000 }), (turns, keepChars) => {
        const before = conversation(turns)
        const after = pruneResults(before, { keepChars, leastChars: 1 })
        if (after === undefined) return
        expectWhole(after, before)
        expect(after).toHaveLength(before.length)
        const firstKept = before.findIndex((message, index) => index > 1 && message === after[index])
        expect(firstKept).toBeGreaterThan(-1)
        for (const [index, message] of after.entries()) {
          if (message !== before[index]) expect(message).toMatchObject({ role: 'tool' })
        }
      }),
    )
  })

  test('say which call they were of, and how it ended', () => {
    const long: ModelMessage = { role: 'tool', callId: '0.0', text: `${'x'.repeat(5_000)}\n[exit 3, 1.2s]` }
    const before = [system, task, turn(0, [1])[0] as ModelMessage, long, ...turn(1, [5_000])]

    const after = pruneResults(before, { keepChars: 1_000, leastChars: 1 })

    expect(after?.[3]).toMatchObject({
      text: expect.stringMatching(/^\[result of read .*file-0.*5015 characters.*exit 3/),
    })
  })

  test('stay where taking them out would free too little', () => {
    expect(pruneResults(conversation([[5_000], [5_000]]), { keepChars: 0, leastChars: 70_000 })).toBeUndefined()
  })
})

describe('how large it is', () => {
  test('is learned from what the provider counts, and what cannot be is not believed', () => {
    const sized = { messages: conversation([[7_000]]), tools: [] }
    const chars = estimateTokens({ charsPerToken: 1 }, sized)

    const gauge = calibrate(firstGauge, sized, Math.round(chars / 3))

    expect(gauge.charsPerToken).toBeCloseTo(3, 1)
    expect(calibrate(gauge, sized, 1)).toBe(gauge)
    expect(calibrate(gauge, sized, chars * 10)).toBe(gauge)
    expect(calibrate(gauge, sized, null)).toBe(gauge)
  })

  test('counts tools, calls and kept reasoning, too', () => {
    const tools = [{ name: 'read', means: 'x'.repeat(3_600), parameters: {} }]
    const reasoning = [{ model: 'm', beforeCall: 0, entry: { sealed: 'y'.repeat(3_600) } }]
    const messages: ModelMessage[] = [{ role: 'assistant', text: '', toolCalls: [], reasoning }]

    expect(estimateTokens(firstGauge, { messages: [], tools })).toBeGreaterThan(1_000)
    expect(estimateTokens(firstGauge, { messages, tools: [] })).toBeGreaterThan(1_000)
  })

  test('of a small window 60 % may be used, of a large one all but the reply and a reserve', () => {
    expect(fullAt(32_000, null)).toBe(19_200)
    expect(fullAt(200_000, null)).toBe(200_000 - 8_192 - 16_384)
    expect(fullAt(200_000, 64_000)).toBe(120_000)
  })
})

test('a tail begins between turns, and holds the last turn however large it is', () => {
  fc.assert(
    fc.property(turnsOf, fc.nat({ max: 30 }), fc.nat({ max: 50_000 }), (turns, tailMessages, tailChars) => {
      const messages = conversation(turns)
      const { head, middle, tail } = divide(messages, { tailMessages, tailChars })
      expect([...head, ...middle, ...tail]).toEqual(messages)
      expect(tail[0]?.role).not.toBe('tool')
      if (turns.length > 0) expect(tail.length).toBeGreaterThan(0)
      expect(unitsOf(tail).slice(1).flat().length).toBeLessThanOrEqual(Math.max(tailMessages, 0))
    }),
  )
})

test('compactions that free nothing are not tried for ever, and after a summary that failed there is a pause', () => {
  expect(isWorthCompacting(noCompactions, 0)).toBe(true)
  expect(isWorthCompacting({ freedShares: [0.05, 0.02], failedAtMs: null }, 0)).toBe(false)
  expect(isWorthCompacting({ freedShares: [0.02, 0.4], failedAtMs: null }, 0)).toBe(true)
  expect(isWorthCompacting({ freedShares: [], failedAtMs: 1_000 }, 500_000)).toBe(false)
  expect(isWorthCompacting({ freedShares: [], failedAtMs: 1_000 }, 700_000)).toBe(true)
})
