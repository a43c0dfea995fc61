import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { taskStatuses } from '../../src/board/index.ts'
import { isLawful, moves, movesFrom } from '../../src/board/moves.ts'

const page = readFileSync('docs/states.md', 'utf8')
const arrow = ({ from, to }: { from: string; to: string }): string => `${from} --> ${to}`

describe('docs/states.md', () => {
  test('shows an arrow for every lawful move, and no other', () => {
    const [, chart = ''] = page.split('```')
    const drawn = [...chart.matchAll(/^ {4}(\S+) --> (\w+): .+$/gm)].map(([, from = '', to = '']) =>
      arrow({ from: from === '[*]' ? 'new' : from, to }),
    )
    expect(drawn.toSorted()).toEqual([...new Set(moves.map(arrow))].toSorted())
    expect(new Set(drawn).size).toBe(drawn.length)
  })

  test('lists every move with who makes it, its guard, verb and reason, in the order of the table', () => {
    const guards = { needs_met: 'no open need', needs_open: 'an open need' }
    const [, table = ''] = page.split('## Every move')
    const [rows = ''] = table.split('## ')
    const listed = [...rows.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) =>
      cells.split(' | ').map((cell) => cell.trim()),
    )
    const expected = moves.map(({ from, to, by, guard, act, when }) => [
      from === 'new' ? '(new)' : from,
      to,
      by,
      guard === undefined ? '' : guards[guard],
      act ?? '',
      when,
    ])
    expect(listed.slice(1).filter(([first = '']) => !first.startsWith('---'))).toEqual(expected)
  })

  test('knows every status', () => {
    for (const status of taskStatuses) expect(page).toMatch(new RegExp(`^\\| (.*, )?${status}[ ,]`, 'm'))
  })
})

describe('the table of moves', () => {
  test('reaches every status, and leaves each again', () => {
    for (const status of taskStatuses) {
      expect([status, moves.some(({ to }) => to === status)]).toEqual([status, true])
      expect([status, moves.some(({ from }) => from === status)]).toEqual([status, true])
    }
  })

  test('starts only what has no open need, and settles what runs only at the end of its attempt', () => {
    expect(isLawful({ from: 'ready', to: 'running', by: 'claim', openNeeds: 0 })).toBe(true)
    expect(isLawful({ from: 'ready', to: 'running', by: 'claim', openNeeds: 1 })).toBe(false)
    for (const { from, by } of moves) if (from === 'running') expect(by).toBe('end')
    expect(isLawful({ from: 'running', to: 'ready', by: 'person', openNeeds: 0 })).toBe(false)
  })

  test('lets go what is blocked for a person or the end of its own hold, and for nothing else', () => {
    for (const { from, by } of moves) if (from === 'blocked') expect(['person', 'hold']).toContain(by)
  })

  test('offers what a person may do', () => {
    expect(Object.fromEntries(taskStatuses.map((status) => [status, movesFrom(status)]))).toEqual({
      triage: ['ready', 'block', 'cancel'],
      todo: ['block', 'cancel'],
      ready: ['block', 'cancel'],
      running: ['stop', 'cancel'],
      review: ['approve', 'reject', 'block', 'cancel'],
      blocked: ['unblock', 'cancel', 'retry'],
      done: ['retry'],
      failed: ['retry'],
      cancelled: ['retry'],
    })
  })
})
