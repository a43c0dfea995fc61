import { expect, test } from 'vitest'
import type { ChatEnd } from '../../../src/worker/chat/chat-end.ts'
import { exitCodeOf } from '../../../src/worker/chat/exit-code.ts'

const kinds: readonly ChatEnd['kind'][] = ['completed', 'partial', 'failed', 'wall', 'interrupted']
const reports = ['written', 'not_asked', 'not_written'] as const
const codes = (delivery?: 'board_unreachable') =>
  Object.fromEntries(
    kinds.map((kind) => [
      kind,
      reports.map((report) => exitCodeOf({ kind, ...(delivery === undefined ? {} : { delivery }) }, report)).join(' '),
    ]),
  )

test('0 is for what is completed and reported, 75 for workers of a board alone', () => {
  expect(codes()).toEqual({
    completed: '0 0 1',
    partial: '1 1 1',
    failed: '1 1 1',
    wall: '75 1 75',
    interrupted: '130 130 130',
  })
})

test('a board that could not be told is 75 where the report says it, and never 0', () => {
  expect(codes('board_unreachable')).toEqual(Object.fromEntries(kinds.map((kind) => [kind, '75 1 1'])))
})
