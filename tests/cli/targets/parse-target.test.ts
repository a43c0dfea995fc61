import { describe, expect, test } from 'vitest'
import { parseStatuses } from '../../../src/cli/targets/filters.ts'
import { parseTarget } from '../../../src/cli/targets/parse-target.ts'

describe('a target', () => {
  test.each([
    ['T5', { kind: 'task', id: 5 }],
    ['t5', { kind: 'task', id: 5 }],
    ['12', { kind: 'task', id: 12 }],
    ['T5-T9', { kind: 'range', from: 5, to: 9 }],
    ['5-9', { kind: 'range', from: 5, to: 9 }],
    ['t5-9', { kind: 'range', from: 5, to: 9 }],
    ['R12', { kind: 'run', id: 12 }],
    ['b7', { kind: 'batch', id: 7 }],
    ['-', { kind: 'last' }],
    ['@failed', { kind: 'failed' }],
    ['@needs-me', { kind: 'needs_me' }],
    ['@E1', { kind: 'cause', number: 1 }],
    ['night', { kind: 'name', name: 'night' }],
    ['lint[src/a.ts]', { kind: 'name', name: 'lint[src/a.ts]' }],
    ['Refactor', { kind: 'name', name: 'Refactor' }],
    ['migrate-2026', { kind: 'name', name: 'migrate-2026' }],
    ['T5b', { kind: 'name', name: 'T5b' }],
  ])('%s', (text, target) => {
    expect(parseTarget(text)).toEqual(target)
  })

  test.each([
    ['@fialed', 'the groups are'],
    ['T9-T5', 'T5-T9'],
    ['T0-T5', 'T5'],
    ['T1-T5000', 'filter'],
    ['  ', 'name a task'],
  ])('%s is refused with what would be right', (text, fix) => {
    expect(() => parseTarget(text)).toThrowError(
      expect.objectContaining({ code: 'CLI_BAD_TARGET', fix: expect.stringContaining(fix) }),
    )
  })
})

describe('--status', () => {
  test('takes the board’s words and people’s', () => {
    expect(parseStatuses('failed,Waiting')).toEqual(['failed', 'todo', 'ready'])
    expect(parseStatuses('needs-you')).toEqual(['blocked', 'review'])
    expect(parseStatuses('draft')).toEqual(['triage'])
  })

  test('names the nearest of a word that is none', () => {
    expect(() => parseStatuses('fialed')).toThrowError(expect.objectContaining({ fix: '--status failed' }))
  })
})
