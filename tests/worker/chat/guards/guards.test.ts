import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeDuration } from '../../../../src/kernel/index.ts'
import { digestCall } from '../../../../src/worker/chat/guards/canonical-call.ts'
import {
  type Fired,
  freshGuards,
  type GuardMemory,
  judgeCall,
  noteCall,
} from '../../../../src/worker/chat/guards/guard-memory.ts'
import { isChanting } from '../../../../src/worker/chat/guards/is-chanting.ts'
import { digestResult, normaliseResult } from '../../../../src/worker/chat/guards/normalise-result.ts'
import type { MadeCall } from '../../../../src/worker/chat/guards/past-call.ts'

type Step = Partial<Omit<MadeCall, 'turn'>> & { readonly call: string }

interface Played {
  /** By turn, from 1: what the guards did. */
  readonly log: readonly string[]
  readonly ran: number
  readonly ended: boolean
}

/** Makes these calls, one a turn, as the loop does, until a guard ends it. */
function play(steps: readonly Step[], turnOf: (index: number) => number = (index) => index + 1): Played {
  let memory: GuardMemory = freshGuards
  const log: string[] = []
  let ran = 0
  for (const [index, step] of steps.entries()) {
    const turn = turnOf(index)
    const made = {
      tool: 'terminal',
      effect: 'writes',
      result: `result of ${step.call}`,
      outcome: 'ok',
      moved: false,
      timedOut: false,
      waited: false,
      unchanged: false,
      ...step,
      turn,
    } as const
    const verdict = judgeCall(memory, made)
    if (verdict.kind !== 'run') {
      memory = verdict.memory
      log.push(`${turn} ${verdict.kind} ${verdict.guard}`)
      if (verdict.kind === 'end') return { log, ran, ended: true }
      continue
    }
    ran += 1
    const noted = noteCall(memory, made)
    memory = noted.memory
    const say = (kind: string, fired: Fired | null) => fired !== null && log.push(`${turn} ${kind} ${fired.guard}`)
    say('warn', noted.warning)
    if (noted.end !== null) {
      say('end', noted.end)
      return { log, ran, ended: true }
    }
  }
  return { log, ran, ended: false }
}

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const fails: Step = { call: 'x', outcome: 'failed', result: 'no' }

describe('a model that goes round in circles is warned, then refused, then its run ends', () => {
  test('the same call, failing: warned at 2, refused after 5, ended when it comes again', () => {
    const { log, ran, ended } = play(times(10, fails))

    expect(log[0]).toBe('2 warn same_call_failing')
    expect(log.filter((line) => line.includes('refuse'))).toEqual(['6 refuse same_call_failing'])
    expect(log.at(-1)).toBe('7 end same_call_failing')
    expect([ran, ended]).toEqual([5, true])
  })

  test('one tool failing whatever it is asked: warned at 3, refused after 8', () => {
    const { log, ran } = play(times(12, 0).map((_, index) => ({ ...fails, call: `x${index}`, tool: 'patch' })))

    expect(log).toEqual([
      ...[3, 4, 5, 6, 7, 8].map((turn) => `${turn} warn same_tool_failing`),
      '9 refuse same_tool_failing',
      '10 end same_tool_failing',
    ])
    expect(ran).toBe(8)
  })

  test('the same look with the same result: warned at 2, refused after 5', () => {
    const { log, ran } = play(times(10, { call: 'look', effect: 'reads', tool: 'read' }))

    expect(log[0]).toBe('2 warn no_progress')
    expect(log.slice(-2)).toEqual(['6 refuse no_progress', '7 end no_progress'])
    expect(ran).toBe(5)
  })

  test('a look that answers every second time only that nothing has changed is the same look, too', () => {
    const looks = times(10, 0).map(
      (_, index): Step => ({
        ...{ call: 'look', effect: 'reads', tool: 'read' },
        result: index % 2 === 0 ? 'the text' : 'as before',
        unchanged: index % 2 === 1,
      }),
    )
    const { log, ran } = play(looks)
    expect(log[0]).toBe('2 warn no_progress')
    expect(log.slice(-2)).toEqual(['6 refuse no_progress', '7 end no_progress'])
    expect(ran).toBe(5)
  })

  test.each([1, 2, 3, 4, 5])('a cycle of %i calls with the same results: refused after 5 rounds', (length) => {
    const round = times(length, 0).map((_, index) => ({ call: `step ${index}` }))

    const { log, ran, ended } = play(times(12, round).flat())

    expect(ran).toBe(5 * length)
    expect(log.at(-1)).toContain('end cycle')
    expect(ended).toBe(true)
  })

  test('the same call with another result each time: refused after 10', () => {
    const { log, ran } = play(times(20, 0).map((_, index) => ({ call: 'date', result: `${index}` })))

    expect(ran).toBe(10)
    expect(log.at(-1)).toBe('12 end cycle_of_calls')
  })

  test('three commands in a row that are stopped at their limit end it', () => {
    const { log } = play(times(5, 0).map((_, index) => ({ ...fails, call: `sleep ${index}`, timedOut: true })))

    expect(log.at(-1)).toBe('3 end command_timeouts')
  })
})

describe('work is let alone', () => {
  test('a test that fails again after each fix is no circle', () => {
    const rounds = times(30, 0).flatMap((_, index): Step[] => [
      { call: `fix ${index}`, tool: 'patch' },
      { call: 'npm test', outcome: 'failed', result: 'one test fails' },
    ])

    expect(play(rounds)).toMatchObject({ log: [], ran: 60 })
  })

  test('a command that is asked about while its output grows is none, either', () => {
    const poll: Step = { call: 'poll P1', tool: 'process', effect: 'reads', moved: true }

    expect(play(times(50, 0).map((_, index) => ({ ...poll, result: `${index}` })))).toMatchObject({ log: [], ran: 50 })
  })

  test('nor is a quiet one that is waited for, which is no progress, either', () => {
    const waits: Step = { call: 'wait P1', tool: 'process', effect: 'reads', waited: true }
    expect(play(times(50, waits))).toMatchObject({ log: [], ran: 50 })
    const made = {
      ...waits,
      result: 'r',
      outcome: 'ok',
      moved: false,
      timedOut: false,
      waited: true,
      unchanged: false,
      turn: 1,
    } as const
    const { memory } = noteCall(freshGuards, { ...made, tool: 'process', effect: 'reads' })
    expect(noteCall(memory, { ...made, tool: 'process', effect: 'reads' }).isProgress).toBe(false)
  })

  test('one whose output stands still is', () => {
    expect(play(times(10, { call: 'poll P1', tool: 'process', effect: 'reads' })).ended).toBe(true)
  })

  test('different calls that all work are never touched', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('reads', 'writes') as fc.Arbitrary<'reads' | 'writes'>), (effects) => {
        const steps = effects.map((effect, index): Step => ({ call: `c${index}`, effect, tool: effect }))
        expect(play(steps)).toEqual({ log: [], ran: steps.length, ended: false })
      }),
    )
  })
})

test('in one reply no guard goes more than one step: 200 calls at once are refused, and the model reads why', () => {
  const { log, ran, ended } = play(times(200, fails), () => 1)

  expect(ended).toBe(false)
  expect(ran).toBe(5)
  expect(log.filter((line) => line.includes('warn same_call_failing'))).toHaveLength(1)
})

test('whatever is repeated without change ends, by any mix of three calls, within 60', () => {
  const step = fc.record({
    call: fc.constantFrom('a', 'b', 'c'),
    outcome: fc.constantFrom('ok', 'failed') as fc.Arbitrary<'ok' | 'failed'>,
    effect: fc.constantFrom('reads', 'writes') as fc.Arbitrary<'reads' | 'writes'>,
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (round) => {
      const steps = times(60, round).flat()
      expect(play(steps).ended).toBe(true)
    }),
  )
})

test('a guard never looks at more than it is told: the same past, the same verdict', () => {
  let memory = freshGuards
  for (const turn of [1, 2, 3, 4, 5]) {
    const made = {
      tool: 't',
      effect: 'reads',
      call: 'x',
      result: 'r',
      outcome: 'failed',
      moved: false,
      timedOut: false,
      waited: false,
      unchanged: false,
    } as const
    memory = noteCall(memory, { ...made, turn }).memory
  }
  const about = { tool: 't', effect: 'reads', call: 'x', turn: 6 } as const

  expect(judgeCall(memory, about)).toEqual(judgeCall(memory, about))
  expect(judgeCall(memory, about).kind).toBe('refuse')
})

describe('calls and results are compared by what they mean', () => {
  const same = (a: unknown, b: unknown) =>
    digestCall({ name: 't', argumentsText: JSON.stringify(a) }) ===
    digestCall({ name: 't', argumentsText: JSON.stringify(b) })

  test('order of keys, blanks around texts and nulls make no difference; names, values and kinds do', () => {
    expect(same({ a: 1, b: { c: ' x ', d: null } }, { b: { c: 'x' }, a: 1 })).toBe(true)
    expect(same({ a: 1 }, { a: '1' })).toBe(false)
    expect(same({ a: ['x', 'y'] }, { a: ['y', 'x'] })).toBe(false)
    expect(digestCall({ name: 't', argumentsText: '{"a' })).toBe(digestCall({ name: 't', argumentsText: ' {"a ' }))
  })

  test('any object means the same with its keys in another order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        expect(same(value, Object.fromEntries(Object.entries(value).reverse()))).toBe(true)
      }),
    )
  })

  test('times, durations, process numbers and temporary paths make no difference', () => {
    const at = (time: string, pid: number, took: string, tmp: string) =>
      `started ${time} pid ${pid}, wrote ${tmp}/out.txt\n[exit 1, ${took}]`

    expect(digestResult(at('2026-01-02T03:04:05.678Z', 4711, '1.2s', '/tmp/a1'))).toBe(
      digestResult(at('2026-11-12T13:14:15Z', 99, '350 ms', '/tmp/zz')),
    )
    const runs = (ms: number) => digestResult(`[P1: runs, ${describeDuration(ms)}]`)
    for (const ms of [41_000, 119_000, 120_000, 540_000, 3_700_000, 7_200_000]) expect(runs(ms)).toBe(runs(300))
    expect(digestResult('3 tests failed')).not.toBe(digestResult('2 tests failed'))
  })

  test('a result of 10 MB is compared by its ends, in no time', () => {
    const text = `begin ${'1s '.repeat(3_500_000)} end`

    expect(normaliseResult(text).length).toBeLessThan(200_000)
  })
})

describe('chanting', () => {
  const sentence = 'Let me check the file again to be sure that it is right. '

  test('the same sentence ten times in a row is', () => {
    expect(isChanting(sentence.repeat(12))).toBe(true)
    expect(isChanting(`${'Something else that was said before. '.repeat(3)}${sentence.repeat(12)}`)).toBe(true)
  })

  test.each([
    [
      'files of one folder',
      (n: number) => `- src/main/java/com/example/application/service/impl/Part${n}Service.java: looked at\n`,
    ],
    [
      'links to one place',
      (n: number) => `https://git.example/acme/monorepo/blob/main/packages/core/src/part-${n}.ts\n`,
    ],
    [
      'findings of one form',
      (n: number) =>
        `{"severity":"warning","category":"style","confidence":"high","line":${n * 37},"says":"${'abc'.repeat(n)}"},`,
    ],
  ])('a list of %s is none: what stands between is never the same', (_, row) => {
    for (const count of [12, 60, 400])
      expect(isChanting(Array.from({ length: count }, (_, n) => row(n)).join(''))).toBe(false)
  })

  test('two sentences by turns are, and so is one that counts along up to five', () => {
    const other = 'No, wait, I have to think about that once more before I go on. '
    expect(isChanting(`${sentence}${other}`.repeat(12))).toBe(true)
    expect(isChanting(Array.from({ length: 20 }, (_, n) => `${sentence}${sentence}Try ${n % 5}. `).join(''))).toBe(true)
  })

  test('nine times, a long line of dashes, a table in code and a long text are not', () => {
    expect(isChanting(sentence.repeat(9))).toBe(false)
    expect(isChanting('-'.repeat(5_000))).toBe(false)
    expect(isChanting('x'.repeat(400_000))).toBe(false)
    expect(isChanting(`Here:\n\`\`\`\n${'| one row of a table in code | 1 | 2 | 3 |\n'.repeat(50)}\`\`\`\n`)).toBe(
      false,
    )
    expect(
      isChanting(Array.from({ length: 400 }, (_, n) => `Step ${n}: file ${n * 7}.ts was changed.`).join('\n')),
    ).toBe(false)
  })
})
