import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { isLoopNote } from '../../../src/worker/chat/loop-note.ts'
import { BoardAtHand, bad, ending, lead, messagesOf, ok, tool } from './lead-chat.ts'

const notes = (messages: readonly { role: string; content: string | null }[]) =>
  messages.filter(({ role, content }) => role === 'user' && isLoopNote(content ?? '')).map(({ content }) => content)

describe('tools', () => {
  test('reads run side by side and at most 16 at once, writes alone; results come in the order of the calls', async () => {
    let running = 0
    let most = 0
    const seen: string[] = []
    const work = async (name: string, n: unknown) => {
      running += 1
      most = Math.max(most, running)
      seen.push(`${name}${n} beside ${running - 1}`)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      return ok(`${name} ${n}`)
    }
    const tools = [
      tool('look', 'reads', ({ n }) => work('look', n)),
      tool('change', 'writes', ({ n }) => work('change', n)),
    ]
    const reads = Array.from({ length: 20 }, (_, n) => `{ tool: look, with: { n: ${n} } }`)

    const { end, messages } = await lead(
      `plays: [{ turns: [{ call: [${reads}, { tool: change, with: { n: 1 } }, { tool: change, with: { n: 2 } }, { tool: look, with: { n: 20 } }] }, { say: done }] }]`,
      { tools },
    )

    expect(end.kind).toBe('completed')
    expect(most).toBe(16)
    expect(seen.filter((line) => line.startsWith('change'))).toEqual(['change1 beside 0', 'change2 beside 0'])
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results.slice(0, 2)).toEqual(['look 0', 'look 1'])
    expect(results.slice(-3)).toEqual(['change 1', 'change 2', 'look 20'])
  })

  test('of 200 calls in one reply one fails and one breaks: each has its result', async () => {
    const look = tool('look', 'reads', ({ n }) => {
      if (n === 5) throw new Error('it broke')
      return n === 7 ? bad('no such thing') : ok(`found ${n}`)
    })
    const calls = Array.from({ length: 200 }, (_, n) => `{ tool: look, with: { n: ${n} } }`)

    const { end, messages, progress } = await lead(`plays: [{ turns: [{ call: [${calls}] }, { say: done }] }]`, {
      tools: [look],
    })

    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '')
    expect(end.kind).toBe('completed')
    expect(results).toHaveLength(200)
    expect([results[5], results[7], results[199]]).toEqual([
      expect.stringContaining('look did not work: it broke'),
      'no such thing',
      'found 199',
    ])
    expect(progress.counters).toMatchObject({ tool_calls: 200, tool_failed: 2, replies: 2 })
  })

  test('a result of 100 MB does not reach the conversation, and the cut says so', async () => {
    const { messages, end } = await lead('plays: [{ turns: [{ call: [{ tool: look, with: {} }] }, { say: done }] }]', {
      tools: [tool('look', 'reads', () => ok('x'.repeat(100_000_000)))],
      options: { contextTokens: 1_000_000 },
    })

    expect(end.kind).toBe('completed')
    const result = messages.find(({ role }) => role === 'tool')?.content ?? ''
    expect(result.length).toBeLessThan(101_000)
    expect(result).toContain('characters are left out here')
  })

  test('arguments that are nested ten thousand levels deep are told to the model as any others that do not fit', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`
    const { end, messages } = await lead(
      `plays: [{ turns: [{ call: [{ tool: look, with: "${deep}" }] }, { say: done }] }]`,
      { tools: [tool('look', 'reads', () => ok('found'))] },
    )

    expect(end.kind).toBe('completed')
    const result = messages.find(({ role }) => role === 'tool')?.content ?? ''
    expect(result).toContain('are not a JSON object')
  })

  test.each([
    ['tools that do not exist', '{ tool: loook, with: {} }', 'did you mean look'],
    ['arguments that are no JSON', '{ tool: look, with: "{\\"n\\": " }', 'not a JSON object'],
  ])('three replies in a row with %s end the run; the model was told each time', async (_, call, says) => {
    const { end, calls, messages, progress } = await lead(`plays: [{ again: true, turns: [{ call: [${call}] }] }]`, {
      tools: [tool('look', 'reads', () => ok('found'))],
    })

    expect(end).toMatchObject({ kind: 'failed', reason: 'tool_schema' })
    expect(calls).toHaveLength(3)
    expect(messages.filter(({ content }) => content?.includes(says))).toHaveLength(2)
    expect(progress.counters.tool_calls).toBe(3)
  })

  test('C16 · a looper is warned, refused and ended, and its heartbeat tells how long nothing has come of it', async () => {
    const board = new BoardAtHand()
    let ran = 0
    const fail = tool('patch', 'writes', () => {
      ran += 1
      return bad('the text was not found')
    })

    const { end, messages, progress } = await lead(
      'plays: [{ again: true, turns: [{ say: I try again, call: [{ tool: patch, with: { n: 1 } }] }] }]',
      { tools: [fail], board },
    )

    expect(end).toMatchObject({ kind: 'failed', reason: 'loop_guard' })
    expect([ran, progress.turns]).toEqual([5, 7])
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content)
    expect(results[0]).toBe('the text was not found')
    expect(results[1]).toContain('[warning: this same call has failed 2 times')
    expect(results[5]).toContain('this call was not made: this same call has failed 5 times')
    expect(board.progressed).toBe(1) // its first words; nothing of what it did was new
    expect(progress.counters).toMatchObject({ guard_same_call_failing: expect.any(Number), tool_failed: 5 })
  })
})

describe('where a tool ends the run', () => {
  test('complete ends it with its result, and nothing that was asked for after it is begun', async () => {
    let ran = 0
    const touch = tool('touch', 'writes', () => {
      ran += 1
      return ok('touched')
    })

    const { end, progress, calls } = await lead(
      'plays: [{ turns: [{ say: so, call: [{ tool: touch, with: {} }, { tool: complete, with: { result: All mended. } }, { tool: touch, with: {} }] }] }]',
      { tools: [touch, ending('complete')] },
    )

    expect(end).toMatchObject({ kind: 'completed', reason: null })
    expect(end.delivery).toBeUndefined()
    expect([ran, calls.length, progress.text]).toEqual([1, 1, 'All mended.'])
  })

  test('a board that could not be told is said in the end, whatever the call was', async () => {
    const play = (call: string) => `plays: [{ turns: [{ call: [${call}] }] }]`

    const done = await lead(play('{ tool: complete, with: { result: All., data: { files: 2 } } }'), {
      tools: [ending('complete', 'board_unreachable')],
    })
    const blocked = await lead(play('{ tool: block, with: { text: Which one? } }'), {
      tools: [ending('complete'), ending('block', 'board_unreachable')],
    })

    expect(done.end).toMatchObject({ kind: 'completed', delivery: 'board_unreachable' })
    expect([done.progress.text, done.progress.data]).toEqual(['All.', { files: 2 }])
    expect(blocked.end).toMatchObject({ kind: 'partial', reason: 'blocked', delivery: 'board_unreachable' })
  })

  test.each([
    ['block', 'blocked'],
    ['review', 'review'],
  ] as const)('%s is no success of the worker: partial, with what was said', async (call, reason) => {
    const { end } = await lead(`plays: [{ turns: [{ call: [{ tool: ${call}, with: { text: look at it } }] }] }]`, {
      tools: [ending('complete'), ending(call)],
    })

    expect(end).toMatchObject({ kind: 'partial', reason, message: 'look at it' })
  })

  test('one that only says that it is done is nudged twice, then it is not finished and its words are kept', async () => {
    const { end, progress, messages, calls } = await lead(
      `plays: [{ turns: [${Array.from({ length: 3 }, (_, n) => `{ say: done ${n}, silent: true }`)}] }]`,
      { tools: [ending('complete'), ending('block')] },
    )

    expect(end).toMatchObject({ kind: 'partial', reason: 'not_finished' })
    expect([calls.length, progress.text]).toEqual([3, 'done 2'])
    expect(notes(messages)).toHaveLength(2)
    expect(notes(messages)[0]).toContain('complete, block')
    expect(progress.counters).toMatchObject({ reply_stopped_early: 3 })
  })

  test('one nudge is enough for a model that heeds it', async () => {
    const { end, progress } = await lead('plays: [{ turns: [{ say: done, silent: true }, { say: Now it is. }] }]', {
      tools: [ending('complete')],
    })

    expect([end.kind, progress.text]).toEqual(['completed', 'Now it is.'])
  })
})

describe('replies that are not whole', () => {
  test('an answer that is cut goes on in the next replies and is one answer in the end', async () => {
    const { end, progress } = await lead(
      'plays: [{ turns: [{ say: "one, ", finish: length }, { say: "two, ", finish: length }, { say: three }] }]',
    )

    expect([end.kind, progress.text]).toEqual(['completed', 'one, two, three'])
  })

  test('one that stays cut is partial, all of its parts kept', async () => {
    const { end, progress, calls } = await lead('plays: [{ again: true, turns: [{ say: more, finish: length }] }]')

    expect(end).toMatchObject({ kind: 'partial', reason: 'output_truncated' })
    expect([calls.length, progress.text]).toEqual([4, 'moremoremoremore'])
  })

  test('a cut tool call is not run; it is asked for again with room, and the conversation does not hold it', async () => {
    let ran = 0
    const write = tool('write', 'writes', () => {
      ran += 1
      return ok('written')
    })

    const { end, calls } = await lead(
      `plays:
  - when: shorter
    turns: [{ say: better }]
  - turns: [{ call: [{ tool: write, with: '{"n": "half of' }], finish: length }]`,
      { tools: [write], options: { settings: { temperature: null, reasoning: null, maxOutputTokens: 1_000 } } },
    )

    expect(ran).toBe(0)
    expect(end).toMatchObject({ kind: 'partial', reason: 'output_truncated' })
    expect(calls.map(({ body }) => (body as { max_completion_tokens: number }).max_completion_tokens)).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ])
    expect(messagesOf(calls.at(-1)?.body).some(({ role }) => role === 'assistant')).toBe(false)
  })

  test('a server that refuses the larger limit is asked as before', async () => {
    const { end, calls } = await lead(
      `plays:
  - turns:
      - call: [{ tool: write, with: '{"n": "half of' }]
        finish: length
        faults:
          - { kind: json, times: 1 }
          - { kind: status, status: 400, error: { message: max_tokens is too large, param: max_tokens } }`,
      { tools: [tool('write', 'writes', () => ok('x'))] },
    )

    expect(end.reason).toBe('output_truncated')
    expect(calls.map(({ body }) => (body as { max_completion_tokens?: number }).max_completion_tokens)).toEqual([
      undefined,
      8_192,
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('budgets', () => {
  const loop = 'plays: [{ again: true, turns: [{ say: step, call: [{ tool: look, with: {} }] }] }]'
  const look = tool('look', 'reads', () => ok('found more', { moved: true }))

  test('turns: reminded at 80 %, then last words without tools, kept as the result', async () => {
    const { end, progress, calls, messages } = await lead(
      `plays:
  - turns: [${Array.from({ length: 10 }, () => '{ say: step, call: [{ tool: look, with: {} }] }')}, { say: I came half way. }]`,
      { tools: [look], options: { maxTurns: 10 } },
    )

    expect(end).toMatchObject({ kind: 'partial', reason: 'turn_limit', message: 'the turns are used up: 10 of 10' })
    expect([calls.length, progress.turns, progress.text]).toEqual([11, 10, 'I came half way.'])
    expect((calls.at(-1)?.body as { tool_choice?: string } | undefined)?.tool_choice).toBe('none')
    expect(notes(messages)).toEqual([
      expect.stringContaining('8 of 10 turns are used'),
      expect.stringContaining('This is your last reply'),
    ])
  })

  test('turns: of a worker that ends by a tool the last words are words, too', async () => {
    const { end, progress } = await lead(
      'plays: [{ turns: [{ say: step, call: [{ tool: look, with: {} }] }, { say: I came half way. }] }]',
      { tools: [look, ending('complete')], options: { maxTurns: 1 } },
    )

    expect([end.reason, progress.text]).toEqual(['turn_limit', 'I came half way.'])
  })

  test('tokens: what the provider had kept does not count', async () => {
    const turn = (input: number, cached: number) =>
      `plays: [{ again: true, turns: [{ call: [{ tool: look, with: {} }], usage: { input: ${input}, cached: ${cached}, output: 10 } }] }]`
    const options = { budget: { tokens: 1_000, usd: null }, maxTurns: 30 }

    const spent = await lead(turn(190, 0), { tools: [look], options })
    const cached = await lead(turn(190, 190), { tools: [look], options })

    expect(spent.end).toMatchObject({ kind: 'partial', reason: 'budget' })
    expect(spent.calls).toHaveLength(5)
    expect(cached.end.reason).toBe('turn_limit')
  })

  test('tokens: a provider that counts nothing is held to its budget by our own count, and its usage stays unknown', async () => {
    const { end, progress } = await lead(
      'plays: [{ again: true, turns: [{ call: [{ tool: look, with: {} }], usage: none }] }]',
      { tools: [look], options: { budget: { tokens: 1_000, usd: null }, maxTurns: 60 } },
    )

    expect(end).toMatchObject({ kind: 'partial', reason: 'budget' })
    expect([progress.usage, progress.costUsd]).toEqual([null, null])
  })

  test('money: by known prices; where one is not known the cost is unknown and never 0', async () => {
    const priced = await lead(loop, {
      tools: [look],
      options: { budget: { tokens: null, usd: 0.001 }, prices: { m: { in: 2, out: 2 } } },
    })
    const unpriced = await lead(loop, { tools: [look], options: { maxTurns: 2 } })

    expect(priced.end).toMatchObject({ kind: 'partial', reason: 'budget' })
    expect(priced.progress.costUsd).toBeGreaterThan(0.0007)
    expect(priced.progress.costUsd).toBeLessThanOrEqual(0.001)
    expect(unpriced.progress.costUsd).toBeNull()
  })

  test('time: told to save its work, cut in a command that never ends, last words, and out before the end', async () => {
    const endless = tool('wait', 'writes', async (_, { signal }) => {
      await once(signal, 'abort')
      return bad('stopped')
    })
    const startedMs = performance.now()

    const { end, messages, progress } = await lead(
      'plays: [{ turns: [{ say: I wait, call: [{ tool: wait, with: {} }] }, { say: I was cut. }] }]',
      { tools: [endless], options: { runMs: 5_000 } },
    )

    expect(end).toMatchObject({ kind: 'partial', reason: 'budget' })
    expect(progress.text).toBe('I was cut.')
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    expect(notes(messages).at(-1)).toContain('the time of')
  })

  test('time: at 90 % what runs in the foreground is sent away, so that the model can save its work', async () => {
    const long = tool('wait', 'writes', async (_, { attention }) => {
      await once(attention, 'abort')
      return ok('goes on in the background')
    })

    const { messages } = await lead('plays: [{ turns: [{ call: [{ tool: wait, with: {} }] }, { say: saved }] }]', {
      tools: [long],
      options: { runMs: 150_000 },
      // The monotonic clock decides: a run that began so long ago is at its checkpoint in a moment.
      startedMs: Number(process.hrtime.bigint() / 1_000_000n) - 134_800,
    })

    expect(notes(messages).at(-1)).toContain('Save what you have now')
  })
})

describe('the board', () => {
  test('what somebody says while it works is in the conversation before the next call, fenced and as data', async () => {
    const board = new BoardAtHand()

    const { messages, end } = await lead('plays: [{ turns: [{ call: [{ tool: look, with: {} }] }, { say: done }] }]', {
      board,
      tools: [
        tool('look', 'reads', async (_, { attention }) => {
          board.say('use ```js\nthe canary branch')
          await (attention.aborted || once(attention, 'abort'))
          return ok('goes on in the background')
        }),
      ],
    })

    expect(end.kind).toBe('completed')
    const [said = ''] = notes(messages)
    expect(said).toContain('ann has said this on your task (2026-01-02T03:04:05Z)')
    expect(said).toContain('````text\nuse ```js\nthe [secret] branch\n````')
  })

  test('an answer that somebody has just spoken into is no end yet', async () => {
    const board = new BoardAtHand()

    const { progress, calls } = await lead(`plays: [{ turns: [{ say: done }, { say: 'done with that, too' }] }]`, {
      board,
      onCall: ({ turn }) => turn === 0 && board.say('and the other one'),
    })

    expect([progress.text, calls.length]).toEqual(['done with that, too', 2])
  })

  test.each([
    ['stop', 'interrupted', 'interrupted'],
    ['over', 'failed', 'lost_claim'],
  ] as const)('%s ends it at once, in the middle of a command or of a reply', async (kind, ends, reason) => {
    const inCommand = new BoardAtHand()
    const wait = tool('wait', 'writes', async (_, { signal }) => {
      inCommand.endBy({ kind, text: 'ann said so' })
      await (signal.aborted || once(signal, 'abort'))
      return bad('stopped')
    })
    const play = 'plays: [{ turns: [{ call: [{ tool: wait, with: {} }] }, { say: never }] }]'
    const inReply = new BoardAtHand()
    const stall = 'plays: [{ turns: [{ say: a long one, faults: [{ kind: stall, after: 2 }] }] }]'

    const command = await lead(play, { board: inCommand, tools: [wait] })
    const reply = await lead(stall, {
      board: inReply,
      onCall: () => setImmediate(() => inReply.endBy({ kind, text: 'x' })),
    })

    expect(command.end).toMatchObject({ kind: ends, reason })
    expect(command.end.message).toContain('ann said so')
    expect(command.calls).toHaveLength(1)
    expect(reply.end).toMatchObject({ kind: ends, reason })
  })

  test('what the board has taken holds, although a stop came at the same moment', async () => {
    const board = new BoardAtHand()
    const complete = tool('complete', 'writes', () => {
      board.endBy({ kind: 'stop', text: 'too late' })
      return ok('heard', { ends: { call: 'complete', text: 'All.', delivery: 'acknowledged' } })
    })

    const { end } = await lead('plays: [{ turns: [{ call: [{ tool: complete, with: {} }] }] }]', {
      board,
      tools: [complete],
    })

    expect(end.kind).toBe('completed')
  })

  test('new words and new results are progress, the same again is none', async () => {
    const board = new BoardAtHand()
    const look = tool('look', 'reads', () => ok('the same'))

    await lead(
      `plays: [{ turns: [${Array.from({ length: 3 }, () => '{ say: I look, call: [{ tool: look, with: {} }] }')}, { say: done }] }]`,
      { board, tools: [look] },
    )

    expect(board.progressed).toBe(3) // "I look", what it found, "done"
  })
})

describe('an answer in a form', () => {
  const answer = {
    instructions: 'Answer as JSON.',
    check: (text: string) =>
      text.startsWith('{')
        ? ({ ok: true, value: JSON.parse(text) } as const)
        : ({ ok: false, says: 'it is not JSON' } as const),
  }

  test('is asked for again once, with what is wrong', async () => {
    const { end, progress, messages } = await lead(`plays: [{ turns: [{ say: yes }, { say: '{"a": 1}' }] }]`, {
      answer,
    })

    expect([end.kind, progress.data]).toEqual(['completed', { a: 1 }])
    expect(messages[1]?.content).toBe('do it\n\nAnswer as JSON.')
    expect(notes(messages)[0]).toContain('it is not JSON')
  })

  test('is partial where it still does not fit', async () => {
    const { end, progress } = await lead('plays: [{ turns: [{ say: yes }, { say: no }] }]', { answer })

    expect(end).toMatchObject({ kind: 'partial', reason: 'output_schema' })
    expect([progress.text, progress.data]).toEqual(['no', undefined])
  })
})

test('every step of it is written down, in its order', async () => {
  const { lines } = await lead('plays: [{ turns: [{ call: [{ tool: look, with: {} }] }, { say: done }] }]', {
    tools: [tool('look', 'reads', () => ok('found'))],
  })

  const roles = lines.map((line) => (line.kind === 'message' ? line.message.role : line.kind))
  expect(roles).toEqual(['system', 'user', 'call', 'assistant', 'tool', 'call', 'assistant'])
})
