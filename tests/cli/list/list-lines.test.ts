import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { WhyView } from '../../../src/api/contract/index.ts'
import { allTaskLines } from '../../../src/cli/list/all-lines.ts'
import type { ListView } from '../../../src/cli/list/gather-list.ts'
import { type ListLook, listLines } from '../../../src/cli/list/list-lines.ts'
import { widthOf } from '../../../src/cli/render/visible.ts'
import { aHealth, aRun, aTask, nowMs } from '../a-view.ts'

const look: ListLook = { width: 120, nowMs, paint: picocolors.createColors(false), narrowed: '' }
const nothing = { rows: [], total: 0 }
const empty: ListView = {
  health: aHealth({}),
  needsYou: nothing,
  running: nothing,
  waiting: nothing,
  failed: nothing,
  done: 0,
  doneHow: null,
  cancelled: 0,
  archived: 0,
  why: new Map(),
}
const text = (view: ListView, narrower: Partial<ListLook> = {}) =>
  `${listLines(view, { ...look, ...narrower }).join('\n')}\n`

const live = {
  processes: 3,
  rss_bytes: 1,
  cpu_seconds: 1,
  last_output_at: new Date(nowMs - 40_000).toISOString(),
  last_line: null,
}
const why = (task: number, code: string, says: string): WhyView => ({
  task,
  code,
  says,
  since: null,
  until: null,
  // biome-ignore lint/suspicious/noThenProperty: the public field name
  then: null,
  you_can: [],
})

const busy: ListView = {
  ...empty,
  needsYou: {
    rows: [
      aTask({
        id: 7,
        title: 'add rate limiting',
        status: 'blocked',
        hold: { code: 'person', text: 'Redis or in memory?', by: 'anna' },
      }),
      aTask({
        id: 8,
        title: 'send invoices',
        status: 'blocked',
        lane: 'command',
        hold: { code: 'lost', text: 'cut by the reboot, may have sent some', by: null },
        last_run: aRun({ id: 4, outcome: 'lost' }),
      }),
    ],
    total: 2,
  },
  running: {
    rows: [
      aTask({ id: 5, status: 'running', failures: 1, open_run: 12, last_run: aRun({ id: 12, live }) }),
      aTask({
        id: 9,
        title: 'npm run build 🚢',
        lane: 'command',
        attempts: 1,
        status: 'running',
        open_run: 13,
        last_run: aRun({ id: 13, live: { ...live, last_line: '\u001b[32mwebpack 71 %' } }),
      }),
    ],
    total: 2,
  },
  waiting: {
    rows: [
      aTask({ id: 6, title: 'migrate to vite' }),
      aTask({ id: 10, title: 'release notes', status: 'todo', open_needs: 1 }),
      aTask({ id: 11, title: 'שלום, an idea', status: 'triage' }),
    ],
    total: 40,
  },
  why: new Map([
    [6, why(6, 'account_held', 'T6 does not run: account claude is held until 14:00, in 38 min')],
    [10, why(10, 'need_open', 'T10 does not run: it needs T5 fix flaky login test')],
  ]),
  failed: { rows: [aTask({ id: 3, status: 'failed' })], total: 1 },
  done: 4,
  doneHow: { checked: 3, unchecked: 1 },
}

test('what runs beside the work is said', () => {
  const words = (given: Parameters<typeof aRun>[0]) => {
    const rows = [aTask({ id: 5, status: 'running', open_run: 12, last_run: aRun({ id: 12, ...given }) })]
    return text({ ...empty, running: { rows, total: 1 } })
  }
  expect(words({ stage: 'check' })).toMatch(/attempt 1\/2 {2}9m {2}its check runs/)
  expect(words({ stage: 'prepare' })).toMatch(/attempt 1\/2 {2}9m {2}is being set up/)
  expect(words({ phase: 'claimed' })).toContain('its folder is being got ready')
  expect(words({ stage_over: true })).toContain('what it changed is being recorded')
  expect(words({})).not.toMatch(/check|set up|recorded/)
})

describe('the list', () => {
  test('says what needs you, runs, waits and has ended, and ends with the next command', async () => {
    await expect(text(busy)).toMatchFileSnapshot('../golden/list.txt')
  })

  test('stays inside a narrow terminal', async () => {
    const lines = listLines(busy, { ...look, width: 60 })
    for (const line of lines.slice(0, -2)) expect(widthOf(line)).toBeLessThanOrEqual(60)
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/list-60-columns.txt')
  })

  test('shows at 80 columns what to type, however long reasons are', () => {
    const reason = 'exit code 75: try later. 5 attempts ended this way within 24h, so it waits for you'
    const hold = { code: 'tempfail', text: reason, by: null }
    const asks = aTask({ id: 5, title: 'a title of some length', status: 'blocked', hold })
    const waits = aTask({ id: 6, status: 'todo' })
    const lines = text(
      { ...busy, needsYou: { rows: [asks], total: 1 }, waiting: { rows: [waits], total: 1 } },
      { width: 80 },
    ).split('\n')
    expect(lines[0]).toMatch(/… {2}yardmaster unblock T5$/)
    expect(widthOf(lines[0] ?? '')).toBeLessThanOrEqual(80)
  })

  test('does not say how an attempt gets on of which nobody can tell whether it lives', () => {
    const row = aTask({ id: 5, status: 'running', open_run: 12, last_run: aRun({ id: 12, held: true }) })
    const shown = text({ ...empty, running: { rows: [row], total: 1 } })
    expect(shown).toContain('held: it cannot be told whether it is still alive  yardmaster why T5')
    expect(shown).not.toContain('attempt 1/')
    expect(shown).toContain('Next: yardmaster why T5')
    const runs = aTask({ id: 6, status: 'running', open_run: 13, last_run: aRun({ id: 13 }) })
    expect(text({ ...empty, running: { rows: [row, runs], total: 2 } })).toContain('Next: yardmaster log -f T6')
  })

  test('of an empty board names the first thing to do', () => {
    expect(text(empty)).toBe('Nothing on the board yet.\nNext: yardmaster add "…"\n')
    expect(text(empty, { narrowed: ' --lane chat' })).toContain('Nothing here for --lane chat.')
  })

  test('says that nothing starts without a hub, and who paused it', () => {
    const since = new Date(nowMs - 3_600_000).toISOString()
    const holds = [
      { scope: 'all', name: null, kind: 'pause', by: 'anna', text: 'moving house', since },
      { scope: 'lane', name: 'chat', kind: 'drain', by: 'ben', text: null, since },
    ]
    expect(text({ ...empty, health: aHealth({ dispatching: false, holds }) })).toBe(
      [
        'NO HUB  nothing starts. Start it: yardmaster up -d',
        'PAUSED  everything, since 12:22 by anna (moving house). Start again: yardmaster resume',
        'DRAINING  lane chat, since 12:22 by ben. Start again: yardmaster resume --lane chat',
        'Nothing on the board yet.',
        'Next: yardmaster add "…"\n',
      ].join('\n'),
    )
  })

  test('says which account and which lane need somebody, and how each goes on', () => {
    const account = { open: false, until: null, parked_by: 'dispatcher', reason: 'money: no credit' }
    const since = new Date(nowMs - 3_600_000).toISOString()
    const health = aHealth({
      accounts: [
        { name: 'openai', ...account },
        { name: 'held', ...account, parked_by: null, until: since },
      ],
      holds: [{ scope: 'lane', name: 'chat', kind: 'pause', by: 'dispatcher', text: 'no key', since }],
    })
    const waiting = { rows: [aTask({ id: 3 })], total: 1 }
    const shown = text({ ...empty, health, waiting })
    expect(shown).toContain(
      'NEEDS YOU  lane chat cannot start anything: no key. After mending it: yardmaster up -d --replace\n' +
        'NEEDS YOU  account openai: money: no credit. After mending it: yardmaster resume --account openai\n',
    )
    expect(shown).not.toContain('account held')
    expect(shown).toContain('Next: yardmaster resume --account openai')
    expect(text({ ...empty, health })).toContain('Next: yardmaster add')
  })

  test('narrowed to what needs somebody it does not call a full board empty', () => {
    expect(text(empty, { only: 'needs you' })).toBe('No task needs you.\nNext: yardmaster list\n')
    expect(text(empty, { only: 'needs you', narrowed: ' --lane chat' })).toBe(
      'No task needs you, of --lane chat.\nNext: yardmaster list --lane chat\n',
    )
  })

  test('says of a hub that was told to stop that it starts nothing, and what it waits for', () => {
    const first = (used: number) =>
      text({ ...empty, health: aHealth({ draining: true, leaving: true, slots: { total: 4, used } }) }).split('\n')[0]
    const atOnce = 'At once: yardmaster down --now'
    expect(first(0)).toBe(`STOPPING  the hub starts nothing new and stops. ${atOnce}`)
    expect(first(1)).toBe(`STOPPING  the hub starts nothing new and stops once 1 attempt has ended. ${atOnce}`)
  })

  test('says when the disk has too little room, and what is large in the home', () => {
    const largest = [{ path: 'workspaces/T900', bytes: 3 * 2 ** 30 }]
    const disk = { free_bytes: 300 * 2 ** 20, needed_bytes: 2 ** 30, low: true, since: null, largest }
    expect(text({ ...empty, health: aHealth({ disk }) })).toContain(
      'DISK LOW  300 MiB free, new work needs 1 GiB; nothing new starts until there is room. Largest in the home: workspaces/T900 3 GiB\n',
    )
    expect(text({ ...empty, health: aHealth({ disk: { ...disk, low: false } }) })).not.toContain('DISK')
  })
})

test('list --all shows every task with how it ended, its code in brackets', async () => {
  const tasks = [
    aTask({
      id: 1,
      title: 'build',
      lane: 'command',
      status: 'done',
      runs: 2,
      last_run: aRun({ outcome: 'done', exit_code: 0 }),
    }),
    aTask({ id: 2, title: 'hangs', status: 'failed', last_run: aRun({ outcome: 'timed_out', signal: 'SIGKILL' }) }),
    aTask({ id: 3, title: 'lint', status: 'failed', last_run: aRun({ outcome: 'failed', exit_code: 1 }) }),
    aTask({ id: 4, title: 'an idea', status: 'triage' }),
  ]
  await expect(`${allTaskLines(tasks, look).join('\n')}\n`).toMatchFileSnapshot('../golden/list-all.txt')
})

test('list --all does not say of what was approved that it waits for its review', () => {
  const last_run = aRun({ outcome: 'review', exit_code: 0 })
  const lines = allTaskLines(
    [aTask({ id: 1, status: 'done', last_run }), aTask({ id: 2, status: 'cancelled', last_run })],
    look,
  )
  expect(lines.map((line) => line.includes('waits for review'))).toEqual([false, true, false])
})
