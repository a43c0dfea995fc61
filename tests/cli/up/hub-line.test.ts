import { expect, test } from 'vitest'
import { hubLines } from '../../../src/cli/up/hub-line.ts'
import { aHealth, nowMs } from '../a-view.ts'

const since = new Date(nowMs).toISOString()
const hold = (scope: 'all' | 'lane' | 'board', name: string | null, kind: 'pause' | 'drain') =>
  ({ scope, name, kind, text: null, by: 'ana', since }) as const

test.each([
  [[hold('all', null, 'pause')], ['It starts nothing now: it is paused. Start: yardmaster resume']],
  [[hold('all', null, 'drain')], ['It starts nothing now: it drains. Start: yardmaster resume']],
  [
    [hold('lane', 'chat', 'pause'), hold('board', 'shop', 'drain')],
    [
      'Paused: lane chat. Start again: yardmaster resume --lane chat',
      'Draining: board shop. Start again: yardmaster resume --board shop',
    ],
  ],
  // What it lacks stands in the line of the lanes already.
  [[{ ...hold('lane', 'chat', 'pause'), by: 'dispatcher' }], []],
  [[], []],
])('up says of %j what is kept from starting, and nothing more', (holds, lines) => {
  expect(hubLines(aHealth({ holds }), 7420).slice(2)).toEqual(lines)
})
