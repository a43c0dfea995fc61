import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aHome } from './a-home.ts'

/** Moves the cursor up, rings, turns the line around, breaks it. */
const strange = 'x\u001b[1A\u0007\u009b2J\u202ey\nz'
const at = '2026-11-01T10:00:00.000Z'

const run = (outcome: string, attempt: number) => ({
  ...{ attempt, lane: 'command', account: strange, outcome, reason: strange, exit_code: null, signal: strange },
  ...{
    output_tail: strange,
    result: strange,
    data: { a: strange },
    usage: null,
    call: { kind: 'block', code: strange, text: strange, at },
    released_by: strange,
  },
  ...{ claimed_at: at, exited_at: at, settled_at: at, peak_rss_bytes: null, cpu_seconds: null },
})

const task = (number: number, status: string) => ({
  ...{ task: number, lane: 'command', title: 'title', run: ['echo', strange], dir: `/tmp/${strange}`, status },
  ...{
    workspace: 'here',
    key: `${number}${strange}`,
    batch: strange,
    row_key: strange,
    failures: 1,
    labels: ['night'],
  },
  ...{ hold: { code: strange, text: strange, by: strange }, not_before: null, created_by: strange, created_at: at },
  ...{ settled_at: status === 'blocked' ? null : at, archived_at: null, archived_by: null, needs: [] },
  ...{ comments: [{ at, by: strange, text: strange }], runs: [run('failed', 1)], left_out: [] },
})

test('no text of an imported board reaches the terminal as a command to it', async () => {
  await using yard = aHome()
  const statuses = ['blocked', 'failed', 'cancelled', 'done', 'review']
  const tasks: unknown[] = [
    ...statuses.map((status, index) => task(index + 1, status)),
    { ...task(6, 'failed'), archived_at: at, archived_by: strange },
    { ...task(7, 'blocked'), left_out: [strange] },
  ]
  const header = { yardmaster: 'board', format: 1, board: 'main', exported_at: at, tasks: tasks.length }
  const file = join(yard.cwd, 'board.jsonl')
  writeFileSync(file, [header, ...tasks].map((line) => `${JSON.stringify(line)}\n`).join(''))
  const lines = [
    ['import', file],
    ['list'],
    ['list', '--all'],
    ['list', '--archived', '--all'],
    ...[1, 2, 3, 4, 5, 6, 7].flatMap((n) => [
      ['show', `T${n}`],
      ['show', `R${n}`],
      ['show', `T${n}`, '--settings'],
      ['why', `T${n}`],
      ['log', `T${n}`],
    ]),
    ['why'],
    ['stop', 'T1'],
    ['comment', 'T1', strange],
    ['retry', 'T2', strange],
    ['edit', 'T3', '--prio', '3'],
    ['block', 'T2', strange],
    ['list', '--label', strange],
    ['answer', 'T1', strange],
    ['approve', 'T5'],
    ['archive', 'T4'],
  ]
  for (const line of lines) {
    const { out, err } = await yard.type(...line)
    expect([line, `${out}${err}`.replaceAll('\n', '')]).toEqual([line, expect.not.stringMatching(/[\p{Cc}\u202e]/u)])
  }
})
