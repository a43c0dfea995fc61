import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Outcome, outcomes } from '../../src/board/outcome.ts'
import { type CallKind, callKinds, isHardStop, type StopKind, stopKinds } from '../../src/board/run.ts'
import { type EndFacts, hardStops, judgeEnd } from '../../src/dispatcher/judge-end.ts'
import type { WaitStatus } from '../../src/dispatcher/supervisor/index.ts'
import { runId, taskId } from '../../src/kernel/index.ts'
import type { ReadReport, RunReport } from '../../src/runs/report.ts'
import { exitRule } from './start-yard.ts'

const code = (number: number): WaitStatus => ({ kind: 'code', code: number })
const signal = (name: string): WaitStatus => ({ kind: 'signal', signal: name })
const report = (fields: Partial<RunReport>): ReadReport => ({
  kind: 'report',
  report: {
    schema: 1,
    run: runId(1),
    fence: 1,
    status: 'completed',
    reason: null,
    message: null,
    retryAt: null,
    needsHuman: null,
    result: null,
    data: null,
    usage: null,
    served: true,
    turns: 1,
    ...fields,
  },
})
const stop = (kind: StopKind) => ({ kind, by: 'ana', text: 'enough' })

const command = { evidence: 'code', exits: [], sysexits: false, account: null } as const
const chat = { ...command, evidence: 'report', account: 'openai' } as const
const facts = (given: Partial<EndFacts>): EndFacts => ({
  stop: null,
  delivered: false,
  call: null,
  oom: false,
  oomOnMachine: null,
  wait: null,
  record: null,
  otherBoot: false,
  report: { kind: 'absent' },
  tail: null,
  lane: command,
  ...given,
})
const outcomeOf = (given: Partial<EndFacts>): Outcome => judgeEnd(facts(given)).outcome

describe('C48: an agent that stops without saying how its task ends', () => {
  const stopped = report({
    status: 'partial',
    reason: 'not_finished',
    message: 'its model stopped',
    result: 'all good',
  })

  test('is incomplete, which is counted on its own, and no failure', () => {
    expect(judgeEnd(facts({ wait: code(1), report: stopped, lane: chat }))).toMatchObject({
      outcome: 'incomplete',
      reason: 'it stopped without saying how its task ends: its model stopped',
    })
  })

  test('and any other end with a part of the work is a failure', () => {
    const cut = report({ status: 'partial', reason: 'turn_limit' })
    expect(outcomeOf({ wait: code(1), report: cut, lane: chat })).toBe('failed')
    expect(outcomeOf({ wait: code(2), report: stopped, lane: chat })).toBe('failed')
  })
})

describe('an agent whose board could not be reached when it had its last word', () => {
  const undelivered = (reason: string) =>
    report({ status: 'partial', reason, message: 'Redis or in memory?', delivery: 'board_unreachable' })

  test('has asked all the same: its question stands, and it is not started again to ask it', () => {
    expect(judgeEnd(facts({ wait: code(75), report: undelivered('blocked'), lane: chat }))).toMatchObject({
      outcome: 'blocked',
      reason: 'Redis or in memory?',
    })
    expect(outcomeOf({ wait: code(75), report: undelivered('review'), lane: chat })).toBe('review')
  })

  test('is tried again where it waited for another task, or where the code says something else', () => {
    expect(outcomeOf({ wait: code(75), report: undelivered('waiting'), lane: chat })).toBe('tempfail')
    expect(outcomeOf({ wait: code(1), report: undelivered('blocked'), lane: chat })).toBe('failed')
  })
})

describe('what decides, in order', () => {
  test.each(Object.entries(hardStops))('a delivered %s decides, whatever code or report say', (kind, outcome) => {
    const given = { stop: stop(kind as StopKind), wait: code(0), report: report({}), lane: chat }
    expect(outcomeOf({ ...given, delivered: true })).toBe(outcome)
  })

  test('a stop that reached nothing decides nothing and is noted', () => {
    const judged = judgeEnd(facts({ stop: stop('cancel'), delivered: false, wait: code(0) }))
    expect(judged.outcome).toBe('done')
    expect(judged.reason).toContain('It had already ended when this reached it: cancelled by ana')
  })

  test('a report lowers what the code says, and never raises it', () => {
    expect(outcomeOf({ wait: code(0), report: report({ status: 'failed' }) })).toBe('failed')
    expect(outcomeOf({ wait: code(0), report: report({ status: 'partial' }) })).toBe('incomplete')
    expect(outcomeOf({ wait: code(0), report: report({ status: 'wall' }) })).toBe('tempfail')
    expect(outcomeOf({ wait: code(0), report: report({ status: 'interrupted' }) })).toBe('interrupted')
    expect(outcomeOf({ wait: code(75), report: report({ status: 'failed' }) })).toBe('failed')
    expect(outcomeOf({ wait: code(1), report: report({ status: 'completed' }), lane: chat })).toBe('failed')
    expect(outcomeOf({ wait: code(75), report: report({ status: 'completed' }), lane: chat })).toBe('tempfail')
    expect(outcomeOf({ wait: signal('SIGSEGV'), report: report({ status: 'completed' }) })).toBe('killed')
  })

  test('where wait status and exit record differ, the wait status holds and the other is noted', () => {
    const judged = judgeEnd(facts({ wait: code(3), record: code(0) }))
    expect(judged).toMatchObject({ outcome: 'failed', exitCode: 3 })
    expect(judged.reason).toContain('Its exit record says otherwise (exit code 0)')
  })

  test('after a restart the exit record stands in for the wait status', () => {
    expect(judgeEnd(facts({ record: code(7) }))).toMatchObject({ outcome: 'failed', exitCode: 7, signal: null })
  })

  test('our own shutdown explains a death by signal, and only that', () => {
    for (const kind of ['drain', 'replace', 'shutdown', 'batch_time'] as const) {
      for (const ended of [signal('SIGTERM'), signal('SIGINT'), signal('SIGKILL')]) {
        expect(outcomeOf({ stop: stop(kind), delivered: true, wait: ended })).toBe('interrupted')
      }
      expect(outcomeOf({ stop: stop(kind), delivered: true, wait: code(0) })).toBe('done')
      expect(outcomeOf({ stop: stop(kind), delivered: true, wait: code(4) })).toBe('failed')
    }
  })

  test('130 after a stop of ours is a code: we send no SIGINT, so nobody is told that one came', () => {
    for (const kind of ['stop', 'cancel', 'timeout', 'shutdown'] as const) {
      const ended = judgeEnd(facts({ stop: stop(kind), delivered: true, record: signal('SIGINT') }))
      expect(ended).toMatchObject({ exitCode: 130, signal: null })
      expect(ended.reason).not.toContain('SIGINT')
    }
    const byOthers = judgeEnd(facts({ stop: stop('stop'), delivered: false, wait: signal('SIGINT') }))
    expect(byOthers).toMatchObject({ exitCode: null, signal: 'SIGINT' })
    const killed = judgeEnd(facts({ stop: stop('stop'), delivered: true, wait: signal('SIGKILL') }))
    expect(killed).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  test('lingering after the report decides nothing', () => {
    expect(outcomeOf({ stop: stop('linger'), delivered: true, wait: signal('SIGKILL') })).toBe('killed')
    expect(outcomeOf({ stop: stop('linger'), delivered: true, wait: code(0) })).toBe('done')
  })

  const call = (kind: CallKind) => ({ kind, text: 'its words', onTask: kind === 'wait' ? taskId(7) : null })
  const outcomeOfCall = { complete: 'done', block: 'blocked', review: 'review', wait: 'blocked' } as const

  test('a terminal call decides, whatever else is known of the end', () => {
    const ends = [null, code(0), code(1), code(75), code(78), signal('SIGKILL'), signal('SIGTERM'), signal('SIGSEGV')]
    const arbitrary = fc.record({
      call: fc.constantFrom(...callKinds).map(call),
      wait: fc.constantFrom(...ends),
      record: fc.constantFrom(...ends, 'never' as const),
      otherBoot: fc.boolean(),
      oom: fc.boolean(),
      oomOnMachine: fc.constantFrom(true, false, null),
      delivered: fc.boolean(),
      stop: fc.constantFrom(null, ...stopKinds.map(stop)),
      report: fc.constantFrom<ReadReport>(
        { kind: 'absent' },
        { kind: 'refused', why: 'too big' },
        report({}),
        report({ status: 'wall' }),
        report({ status: 'interrupted' }),
      ),
      lane: fc.constantFrom(command, chat, { ...command, exits: [exitRule('fail', { code: [0, 1, 75] })] }),
    })
    fc.assert(fc.property(arbitrary, (given) => outcomeOf(given) === outcomeOfCall[given.call.kind]))
  })

  test('only what its report says of the work itself lowers a call', () => {
    const lowered = (kind: CallKind, status: RunReport['status']) =>
      outcomeOf({ call: call(kind), wait: code(0), report: report({ status }) })
    expect(lowered('complete', 'failed')).toBe('failed')
    expect(lowered('complete', 'partial')).toBe('incomplete')
    expect(lowered('review', 'failed')).toBe('failed')
    expect(lowered('review', 'partial')).toBe('review')
    for (const status of ['failed', 'partial'] as const) {
      expect(lowered('block', status)).toBe('blocked')
      expect(lowered('wait', status)).toBe('blocked')
    }
  })

  test('says in words what it called, and what came after', () => {
    const reasonOf = (given: Partial<EndFacts>) => judgeEnd(facts(given)).reason
    expect(reasonOf({ call: call('complete'), wait: code(0) })).toBe('it said that it is done')
    expect(reasonOf({ call: call('block'), wait: code(1) })).toBe(
      'it asks: its words. After that it ended with exit code 1',
    )
    expect(reasonOf({ call: call('review'), wait: code(0) })).toBe('it asks for a review: its words')
    expect(reasonOf({ call: call('wait'), wait: code(0) })).toBe('it waits for T7: its words')
    const long = { ...call('block'), text: 'Redis or memory? '.repeat(4_000) }
    expect(reasonOf({ call: long, wait: code(0) })).toMatch(/^it asks: (Redis or memory\? ){50,60}Redis.{0,12}…$/)
    const lingered = { call: call('complete'), wait: signal('SIGKILL'), stop: stop('linger'), delivered: true }
    expect(reasonOf(lingered)).toBe(
      'it said that it is done. After that it ended with SIGKILL. Then ended by us: enough',
    )
  })

  test('a report says done beside 75 only where the board could not be reached, and only if it says completed', () => {
    const unreachable = { delivery: 'board_unreachable' } as const
    expect(outcomeOf({ wait: code(75), lane: chat, report: report(unreachable) })).toBe('done')
    expect(outcomeOf({ record: code(75), lane: chat, report: report(unreachable) })).toBe('done')
    expect(outcomeOf({ wait: code(75), lane: chat, report: report({ ...unreachable, status: 'wall' }) })).toBe(
      'tempfail',
    )
    expect(outcomeOf({ wait: code(1), lane: chat, report: report(unreachable) })).toBe('failed')
    expect(outcomeOf({ wait: code(75), lane: chat, report: report({}) })).toBe('tempfail')
    const cancelled = { stop: stop('cancel'), delivered: true, wait: code(75), report: report(unreachable) }
    expect(outcomeOf(cancelled)).toBe('cancelled')
  })

  test('out of memory is said where the kernel says so, and only of a death by SIGKILL that is not ours', () => {
    expect(outcomeOf({ wait: signal('SIGKILL'), oom: true })).toBe('oom')
    expect(outcomeOf({ wait: signal('SIGSEGV'), oom: true })).toBe('killed')
    expect(outcomeOf({ wait: code(1), oom: true })).toBe('failed')
    expect(outcomeOf({ oom: true })).toBe('unknown')
    expect(outcomeOf({ wait: signal('SIGKILL'), oom: true, stop: stop('timeout'), delivered: true })).toBe('timed_out')
    expect(judgeEnd(facts({ wait: code(1), oom: true })).reason).toContain(
      'The kernel killed a process of it for memory',
    )
  })

  test('what never got its go has run nothing, even where a stop was on its way', () => {
    expect(outcomeOf({ record: 'never' })).toBe('interrupted')
    expect(outcomeOf({ record: 'never', stop: stop('cancel') })).toBe('interrupted')
  })

  test('an end that cannot be known is unknown: never done, never failed', () => {
    expect(outcomeOf({})).toBe('unknown')
    expect(outcomeOf({ report: report({ status: 'completed' }), lane: chat })).toBe('unknown')
    expect(outcomeOf({ otherBoot: true })).toBe('lost')
    expect(outcomeOf({ otherBoot: true, record: code(0) })).toBe('done')
  })
})

describe('the built-in table', () => {
  const rows: readonly [string, Partial<EndFacts>, Outcome][] = [
    ['0 of a command', { wait: code(0) }, 'done'],
    ['0 of chat with a report that says completed', { wait: code(0), lane: chat, report: report({}) }, 'done'],
    ['C48 C55: 0 of chat without a report', { wait: code(0), lane: chat }, 'incomplete'],
    [
      '0 of chat with a refused report',
      { wait: code(0), lane: chat, report: { kind: 'refused', why: 'too big' } },
      'incomplete',
    ],
    ['C47: 75', { wait: code(75) }, 'tempfail'],
    ['C47: 75 of chat with its wall', { wait: code(75), lane: chat, report: report({ status: 'wall' }) }, 'tempfail'],
    ['78 in a lane without sysexits', { wait: code(78) }, 'failed'],
    ['78 in a lane with sysexits', { wait: code(78), lane: { ...command, sysexits: true } }, 'failed'],
    ['1', { wait: code(1) }, 'failed'],
    [
      '1 of chat with needs_human',
      { wait: code(1), lane: chat, report: report({ status: 'failed', needsHuman: 'money' }) },
      'tempfail',
    ],
    ['126', { wait: code(126) }, 'failed'],
    ['127', { wait: code(127) }, 'failed'],
    ['130 of nobody of ours', { wait: signal('SIGINT') }, 'interrupted'],
    ['143 of nobody of ours', { wait: signal('SIGTERM') }, 'interrupted'],
    ['C58: SIGSEGV', { wait: signal('SIGSEGV') }, 'killed'],
    ['C58: SIGKILL of nobody of ours', { wait: signal('SIGKILL') }, 'killed'],
    ['SIGPIPE', { wait: signal('SIGPIPE') }, 'killed'],
  ]
  test.each(rows)('%s', (_, given, outcome) => expect(outcomeOf(given)).toBe(outcome))

  test('C49 C58: the reason names the code or the signal, and says an outside kill as one', () => {
    const reasonOf = (given: Partial<EndFacts>) => judgeEnd(facts(given)).reason
    expect(reasonOf({ wait: code(3) })).toBe('exit code 3')
    expect(reasonOf({ wait: code(127) })).toBe('exit code 127 (command not found)')
    expect(reasonOf({ wait: signal('SIGSEGV') })).toContain('SIGSEGV')
    expect(reasonOf({ wait: signal('SIGKILL') })).toBe('SIGKILL: killed from outside, possibly out of memory')
    expect(reasonOf({ wait: signal('SIGKILL'), oomOnMachine: true })).toBe(
      'SIGKILL: killed from outside, possibly out of memory: the system has killed for memory at that time',
    )
    expect(reasonOf({ wait: signal('SIGKILL'), oomOnMachine: false })).toBe(
      'SIGKILL: killed from outside, and not for memory: the system has killed nothing for memory at that time',
    )
    expect(outcomeOf({ wait: signal('SIGKILL'), oomOnMachine: true })).toBe('killed')
    expect(reasonOf({ wait: code(64), lane: { ...command, sysexits: true } })).toBe('exit code 64: bad usage')
    expect(reasonOf({ wait: code(1), report: report({ status: 'failed', message: 'refused' }) })).toBe(
      'exit code 1: refused',
    )
    expect(reasonOf({ wait: code(0), lane: chat, report: { kind: 'refused', why: 'a link' } })).toContain('a link')
  })
})

describe('rules of a lane or task', () => {
  const lane = {
    ...command,
    exits: [
      exitRule('done', { code: [3], why: 'nothing to do' }),
      exitRule('block', { code: [2, 5], why: 'bad input' }),
      exitRule('wall', { output: 'quota exceeded' }),
      exitRule('fail', { code: [1] }),
      exitRule('later', { code: [137] }),
    ],
  } as const

  test('the first match wins, before the built-in table', () => {
    expect(outcomeOf({ lane, wait: code(3) })).toBe('done')
    expect(outcomeOf({ lane, wait: code(5) })).toBe('failed')
    expect(outcomeOf({ lane, wait: code(1), tail: 'error: quota exceeded' })).toBe('tempfail')
    expect(outcomeOf({ lane, wait: code(1), tail: 'error' })).toBe('failed')
    expect(outcomeOf({ lane, wait: signal('SIGKILL') })).toBe('tempfail')
    expect(outcomeOf({ lane, wait: code(9) })).toBe('failed')
  })

  test('its reason is given in the words of the rule', () => {
    expect(judgeEnd(facts({ lane, wait: code(2) })).reason).toBe('exit code 2: bad input')
  })

  test('a report still lowers what a rule calls done', () => {
    expect(outcomeOf({ lane, wait: code(3), report: report({ status: 'failed' }) })).toBe('failed')
  })
})

test('done is only ever said beside exit 0 or a rule that says so, and never over a delivered stop', () => {
  const anyStatus = fc.option(
    fc.oneof(
      fc.integer({ min: 0, max: 128 }).map(code),
      fc.constantFrom('SIGTERM', 'SIGINT', 'SIGKILL', 'SIGSEGV').map(signal),
    ),
    { nil: null },
  )
  const anyReport: fc.Arbitrary<ReadReport> = fc.oneof(
    fc.constant<ReadReport>({ kind: 'absent' }),
    fc.constant<ReadReport>({ kind: 'refused', why: 'too big' }),
    fc
      .record({
        status: fc.constantFrom<RunReport['status']>('completed', 'failed', 'partial', 'wall', 'interrupted'),
        needsHuman: fc.constantFrom('money', 'access', null),
      })
      .map(report),
  )
  const anyFacts = fc.record({
    stop: fc.option(fc.constantFrom(...stopKinds).map(stop), { nil: null }),
    delivered: fc.boolean(),
    wait: anyStatus,
    record: fc.oneof(anyStatus, fc.constant('never' as const)),
    otherBoot: fc.boolean(),
    report: anyReport,
    lane: fc.constantFrom(command, chat),
  })
  fc.assert(
    fc.property(anyFacts, (given) => {
      const judged = judgeEnd(facts(given))
      expect(outcomes).toContain(judged.outcome)
      expect(judged.reason).not.toBe('')
      if (judged.outcome !== 'done') return
      expect(judged.exitCode).toBe(0)
      expect(given.delivered && given.stop !== null && isHardStop(given.stop.kind)).toBe(false)
      if (given.lane === chat) expect(given.report.kind === 'report' && given.report.report.status).toBe('completed')
    }),
    { numRuns: 2_000 },
  )
})
