import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { EventView } from '../../../src/api/contract/index.ts'
import { endLine, firstLine, heartbeatLine } from '../../../src/cli/progress/end-line.ts'
import { buildProgress } from '../../../src/cli/progress/progress.ts'
import { progressLines } from '../../../src/cli/progress/progress-lines.ts'
import { aChange, aRun, nowMs } from '../a-view.ts'
import { aBatch } from '../report/a-report.ts'

const anEvent = (kind: string, text: string): EventView => ({
  seq: 1,
  at: new Date(nowMs).toISOString(),
  kind,
  board: 'main',
  batch: 7,
  task: 4,
  run: null,
  by: 'dispatcher',
  text,
  data: {},
})

describe('without a terminal, each end is one line', () => {
  test.each([
    ['task.done', 'T4 done', { outcome: 'done', output_tail: 'ok' }, 'done [done]', 'ok'],
    [
      'task.failed',
      'T4 failed: exit code 1',
      { outcome: 'failed', output_tail: 'TS2345' },
      'failed [failed]',
      'TS2345  (exit code 1)',
    ],
    [
      'task.blocked',
      'T4 needs a person: said 5 times to try later',
      { outcome: 'tempfail' },
      'needs you [tempfail]',
      '(said 5 times',
    ],
    [
      'task.requeued',
      'T4 goes back: attempt 2 of 2 follows',
      { outcome: 'failed' },
      'goes back [failed]',
      '(attempt 2 of 2 follows)',
    ],
  ])('%s', (kind, text, run, words, tail) => {
    const line = endLine({ event: anEvent(kind, text), key: 'lint[src/a.ts]', kind: 'run', run: aRun(run) }, nowMs)
    expect(line).toMatch(/^13:22 {2}T4 {4}lint\[src\/a\.ts\] {3,}/)
    expect(line).toContain(words)
    expect(line).toContain(tail)
    expect(line).not.toContain('\n')
  })

  test('what is done and whose report was not used says so: what it handed back is missing', () => {
    const reason = 'exit code 0. Its report was not used: it must have required properties run, fence'
    const line = endLine(
      { event: anEvent('task.done', 'T4 done'), key: 'k', kind: 'run', run: aRun({ outcome: 'done', reason }) },
      nowMs,
    )
    expect(line).toMatch(/\(Its report was not used: it must have required properties run, fence\)$/)
  })

  test('a prompt that is done says that nothing checked it', () => {
    const event = anEvent('task.done', 'T4 done')
    expect(endLine({ event, key: 'k', kind: 'prompt', run: aRun({ outcome: 'done' }) }, nowMs)).toContain(
      'done, unchecked [done]',
    )
  })

  test('what is done and checked says so, with what it changed', () => {
    const run = aRun({ outcome: 'done', checked: true, change: aChange(), output_tail: 'bye' })
    const line = endLine({ event: anEvent('task.done', 'T4 done'), key: 'k', kind: 'prompt', run }, nowMs)
    expect(line).toMatch(/ done, checked \[done\] {2}7m {6}\+6 -9$/)
    const nothing = { ...run, change: aChange({ patch_bytes: null }) }
    expect(endLine({ event: anEvent('task.done', 'T4 done'), key: 'k', kind: 'prompt', run: nothing }, nowMs)).toMatch(
      / done, checked, changed nothing \[done\] {2}7m {6}bye$/,
    )
  })

  test('a check that failed is told in its own last line, with what follows', () => {
    const check = { kind: 'check', command: 'npm test', exit_code: 1, signal: null, reason: 'exit code 1' } as const
    const run = aRun({
      outcome: 'check_failed',
      output_tail: 'all fine',
      stages: [{ ...check, started_at: '', ended_at: '', output_tail: 'x.ts(3,1): error TS2345' }],
    })
    const event = anEvent('task.requeued', 'T4 goes back: attempt 2 of 2 follows in 10 s')
    expect(endLine({ event, key: 'k', kind: 'prompt', run }, nowMs)).toMatch(
      / goes back \[check_failed\] {2}7m {6}x\.ts\(3,1\): error TS2345 {2}\(attempt 2 of 2 follows in 10 s\)$/,
    )
  })

  test.each([
    [
      'task.review',
      'T4 waits for review: exit 0. It is to be reviewed by a person',
      'waits for review [review]',
      '(exit 0. It',
    ],
    ['task.approved', 'T4 done: approved by anna', 'done, checked [done]', '(approved by anna)'],
    ['task.rejected', 'T4 goes back: anna wants changes', 'goes back [changes_requested]', '(anna wants changes)'],
  ])('a review is told as it goes on: %s', (kind, text, words, follows) => {
    const run = aRun({ outcome: 'review', checked: true, change: aChange() })
    const line = endLine({ event: anEvent(kind, text), key: 'k', kind: 'prompt', run }, nowMs)
    expect(line).toContain(` ${words}  `)
    expect(line).toContain(follows)
  })

  test('a task that was cancelled before it started has no time and no last line', () => {
    const event = anEvent('task.cancelled', 'T4 was cancelled: its batch was cancelled')
    expect(endLine({ event, key: 'k', kind: 'run', run: undefined }, nowMs)).toMatch(
      /cancelled \[cancelled\] {2,}\(its batch was cancelled\)$/,
    )
  })
})

test('the first line says how much, how many at once and until when', () => {
  const limits = {
    slots: 8,
    stop_at: new Date(nowMs + 3_600_000).toISOString(),
    halt: null,
    first: null,
    on_wall: 'wait' as const,
  }
  expect(firstLine(aBatch({ limits, counts: { total: 200, by_status: {}, archived: {} } }), nowMs)).toBe(
    'B7 night  200 tasks  8 slots  until 14:22',
  )
})

test('a sign of life counts what is done, wrong, running and left', () => {
  const batch = aBatch({
    counts: { total: 200, by_status: { done: 11, failed: 1, running: 8, ready: 180 }, archived: {} },
  })
  const progress = buildProgress({ batch, running: [], nowMs, pace: { ended: 12, elapsedMs: 60_000 }, why: null })
  expect(heartbeatLine(progress, nowMs)).toBe(
    '13:22  ··  11/200 done · 1 failed · 8 running · 180 waiting · about 16 min left',
  )
})

test('a batch in which nothing runs says what it waits for', () => {
  const batch = aBatch({ counts: { total: 6, by_status: { done: 1, ready: 5 }, archived: {} } })
  const says = 'T6 does not run: account claude is held until 14:00, in 38 min'
  // biome-ignore lint/suspicious/noThenProperty: the public field of an explanation
  const why = { task: 6, code: 'account_held', says, since: null, until: null, then: null, you_can: [] }
  const progress = buildProgress({ batch, running: [], nowMs, pace: { ended: 0, elapsedMs: 60_000 }, why })
  expect(heartbeatLine(progress, nowMs)).toBe(
    '13:22  ··  1/6 done · 0 running · 5 waiting · account claude is held until 14:00, in 38 min',
  )
  const look = { width: 100, height: 20, paint: picocolors.createColors(false) }
  expect(progressLines(progress, look).at(-1)).toBe('account claude is held until 14:00, in 38 min')
})
