import { describe, expect, test } from 'vitest'
import { outcomes, taskStatuses } from '../../../src/board/index.ts'
import { logForTerminal } from '../../../src/cli/render/log-text.ts'
import { ago, clockTime, clockTimeAndWait, runLengthMs } from '../../../src/cli/render/times.ts'
import { endOf, outcomeWithCode, statusWord } from '../../../src/cli/render/words.ts'

const nowMs = Date.parse('2026-11-29T14:00:00Z')
const at = (text: string) => new Date(Date.parse(text)).toISOString()

describe('words for people', () => {
  test('every status has one, and the product’s own words for them stay inside', () => {
    const words = taskStatuses.map((status) => statusWord({ status }, nowMs))
    expect(words).toEqual([
      'draft',
      'waiting',
      'ready',
      'running',
      'needs you',
      'needs you',
      'done',
      'failed',
      'cancelled',
    ])
  })

  test('ready but not yet is waiting', () => {
    expect(statusWord({ status: 'ready', not_before: '2026-11-29T14:10:00Z' }, nowMs)).toBe('waiting')
    expect(statusWord({ status: 'ready', not_before: '2026-11-29T13:10:00Z' }, nowMs)).toBe('ready')
  })

  test('an end is named in words with its code in brackets', () => {
    expect(outcomeWithCode('tempfail')).toBe('try later [tempfail]')
    expect(outcomeWithCode('lost')).toBe('cut by reboot [lost]')
    expect(outcomeWithCode('unknown')).toBe('end not knowable [unknown]')
    expect(outcomeWithCode('done')).toBe('done')
    expect(outcomeWithCode('of_a_newer_hub')).toBe('of_a_newer_hub')
    for (const outcome of outcomes) expect(outcomeWithCode(outcome)).toContain(outcome)
  })

  test('a signal is named before a code', () => {
    expect(endOf({ exit_code: 1, signal: null })).toBe('exit 1')
    expect(endOf({ exit_code: null, signal: 'SIGKILL' })).toBe('signal SIGKILL')
    expect(endOf({ exit_code: null, signal: null })).toBeUndefined()
  })
})

describe('times', () => {
  test('are told from now, never below nothing', () => {
    expect(ago('2026-11-29T13:59:20Z', nowMs)).toBe('40s')
    expect(ago('2026-11-29T14:00:20Z', nowMs)).toBe('0s')
  })

  test('name the day only where it is another one', () => {
    expect(clockTime(at('2026-11-29T16:05:00Z'), nowMs)).toBe('16:05')
    expect(clockTime(at('2026-11-28T16:05:00Z'), nowMs)).toBe('28 Nov 16:05')
    expect(clockTime(at('2025-11-28T16:05:00Z'), nowMs)).toBe('28 Nov 2025 16:05')
    expect(clockTimeAndWait(at('2026-11-29T14:38:00Z'), nowMs)).toBe('14:38, in 38 min')
  })

  test('a run that goes on is measured up to now, one that never started not at all', () => {
    expect(runLengthMs({ started_at: '2026-11-29T13:59:00Z', exited_at: null }, nowMs)).toBe(60_000)
    expect(runLengthMs({ started_at: null, exited_at: '2026-11-29T13:59:00Z' }, nowMs)).toBeUndefined()
  })
})

describe('a log on a terminal', () => {
  const esc = '\u001b'

  test('keeps text, lines, progress bars and colours', () => {
    const text = `${esc}[1;31mred${esc}[0m\n\tdone\r`
    expect(logForTerminal()(text)).toBe(text)
  })

  test('cannot clear the screen, set the title, or make the terminal answer', () => {
    expect(logForTerminal()(`${esc}[2J${esc}]0;x\u0007${esc}[6n`)).toBe('\\e[2J\\e]0;x\\x07\\e[6n')
  })

  test('cannot turn the direction of a line around, nor break it where no line ends', () => {
    const text = 'rm \u202e# oot/ fr-\u2066x\u2028y\ufeff'
    expect(logForTerminal()(text)).toBe('rm \\u202e# oot/ fr-\\u2066x\\u2028y\\ufeff')
    expect(logForTerminal()('שלום עולם\n')).toBe('שלום עולם\n')
  })

  test('a colour that is cut between two pieces arrives whole', () => {
    const show = logForTerminal()
    expect(show(`a${esc}`) + show('[3') + show('1mb')).toBe(`a${esc}[31mb`)
  })
})
