import { readdirSync, readFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../../src/board/sqlite/migrations/list.ts'

const folder = 'src/board/sqlite'
const files = readdirSync(`${folder}/statements`).sort()
const textOf = (file: string): string => readFileSync(`${folder}/statements/${file}`, 'utf8')
const sources = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
  .join('\n')

/**
 * What a statement may walk from end to end, with why it stays small however many cards there are. Everything else must
 * be found by an index (P9: no step costs more because more tasks wait).
 */
const mayWalk: Readonly<Record<string, string>> = {
  yard: 'one row',
  lane: 'the lanes of yardmaster.yaml',
  account: 'the accounts of yardmaster.yaml',
  gate: 'one row for each account',
  hold: 'what people hold',
  sqlite_sequence: 'one row for each kind of number',
  board_count: 'nine rows for each board',
  'queue_group USING INDEX queue_group_ready': 'groups with something to start',
  'run USING INDEX run_open': 'open attempts, about as many as slots',
  'run USING INDEX run_slot': 'attempts with a slot',
  'batch USING INDEX batch_open': 'open batches',
  'event USING INDEX event_yard': 'from the newest fact about the yard back to the last coming or going of a hub',
  upstream: 'what the waiting cards of one batch need',
  CONSTANT: 'no table',
  'asked VIRTUAL TABLE': 'the ids that are asked for',
  'own VIRTUAL TABLE': 'the labels of one card',
}

function planOf(db: Sqlite.Database, sql: string): readonly string[] {
  const code = sql.replaceAll(/^--.*$/gm, '')
  const names = new Set([...code.matchAll(/:(\w+)/g)].map(([, name = '']) => name))
  const params = Object.fromEntries([...names].map((name) => [name, 1]))
  const rows = db.prepare(`explain query plan ${sql}`).all(params) as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

describe('the statements of the store', () => {
  const db = new Sqlite(':memory:')
  for (const { sql } of migrations) db.exec(sql)

  test.each(files)('%s says what it is for and is one typed function', (file) => {
    const name = file.replace(/\.sql$/, '')
    expect(textOf(file)).toMatch(new RegExp(`^-- ${name}: .{5,}`))
    expect(sources.split(`'./statements/${file}'`)).toHaveLength(2)
  })

  test.each(files)('%s finds its rows by an index', (file) => {
    const walks = planOf(db, textOf(file))
      .filter((detail) => detail.startsWith('SCAN '))
      .map((detail) => detail.slice('SCAN '.length))
    const known = Object.keys(mayWalk)
    expect(
      walks.filter((walk) => !known.some((may) => walk === may || walk.startsWith(`${may} `) || may === walk)),
    ).toEqual([])
  })

  test.each(files.filter((file) => /\b(?:from|join) event\b/.test(textOf(file))))(
    'C112: %s reads as much of a million events as it answers: by an index or by their number, and never all of them',
    (file) => {
      const text = textOf(file).replaceAll(/^--.*$/gm, '')
      const ofEvents = planOf(db, textOf(file)).filter((detail) => /^(?:SCAN|SEARCH) event\b/.test(detail))
      expect(ofEvents.length).toBeGreaterThan(0)
      // `SEARCH event` alone is SQLite's way to say that it takes one end of the sequence.
      for (const detail of ofEvents)
        expect(detail).toMatch(/^SEARCH event$|USING (?:COVERING )?INDEX|USING INTEGER PRIMARY KEY/)
      // The sequence alone would do, too, and walk past all that is about something else.
      const [, of = ''] = /\bwhere \W?(task|batch|kind) (?:=|in)/.exec(text) ?? []
      const ofYard = text.includes(':seq') ? 'event_yard (seq>?)' : 'event_yard'
      // What is asked of a whole task begins at its first event.
      const ofOne = /\bseq >/.test(text) ? `event_${of} (${of}=? AND seq>?)` : `event_${of} (${of}=?)`
      const index = of === 'kind' ? ofYard : ofOne
      if (of !== '') expect(ofEvents).toEqual([expect.stringContaining(index)])
      expect(text).toMatch(/\blimit\b|seq <= :upto|^\s*select ifnull\(max\(seq\), 0\)/)
    },
  )

  test.each([
    'plain-heads',
    'review-heads',
    'folder-heads',
    'probe-heads',
    'open-due',
    'next-due',
    'page-of-all',
    'page-of-archived',
    'page-of-board',
    'page-of-batch',
    'page-of-lane',
    'page-of-label',
  ])('%s reads only as many rows as it answers: its order is that of an index', (name) => {
    expect(planOf(db, textOf(`${name}.sql`)).filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([])
  })
})

describe('the schema refuses half-states', () => {
  const db = new Sqlite(':memory:')
  db.pragma('foreign_keys = ON')
  for (const { sql } of migrations) db.exec(sql)
  db.exec(`
    insert into board (name, created_at_ms) values ('shop', 0);
    insert into queue_group (id, board, lane) values (1, 'shop', 'command');
    insert into queue (queue_group, folder) values (1, ''), (1, '/a');`)
  const task = (over: object = {}) => {
    const row = {
      board: 'shop',
      title: 't',
      kind: 'run',
      lane: 'command',
      status: 'ready',
      priority: 0,
      rank: 0,
      labels: '[]',
      queue_group: 1,
      folder: '',
      open_needs: 0,
      created_by: 'x',
      created_at_ms: 0,
      changed_at_ms: 0,
      ...over,
    }
    return insert('task', row)
  }
  const run = (over: object = {}) =>
    insert('run', {
      task: 1,
      attempt: 1,
      fence: 1,
      phase: 'claimed',
      lane: 'command',
      folder: '',
      slot: 0,
      probe: 0,
      nonce: 'n',
      settings: '{}',
      claimed_at_ms: 0,
      ...over,
    })
  const started = { phase: 'started', pid: 5, fingerprint: 'f', started_at_ms: 0, started_monotonic: 'm' }
  const stage = (over: object) => insert('stage', { run: 1, kind: 'check', command: 'c', started_at_ms: 0, ...over })
  const change = (over: object) =>
    insert('change', {
      ...{ run: 1, repo: '/r', branch: 'b', base_commit: 'b', head_commit: 'h', commits: 0, file_count: 0 },
      ...{ insertions: 0, deletions: 0, files: '[]', left_overs: 0, outside: '[]', notes: '[]', ...over },
    })
  const attachment = (over: object) =>
    insert('attachment', {
      ...{ task: 1, name: 'a', media_type: 'text/plain', bytes: 1, sha256: 'a'.repeat(64), by: 'x', at_ms: 0, ...over },
    })
  const insert = (table: string, row: object): void => {
    const names = Object.keys(row)
    db.prepare(`insert into ${table} (${names.join(', ')}) values (${names.map((name) => `:${name}`).join(', ')})`).run(
      row,
    )
  }
  task()

  test.each<[string, () => void]>([
    ['a card that runs without an attempt', () => task({ status: 'running' })],
    ['a card that is ready with an open need', () => task({ open_needs: 1 })],
    ['a card that waits without a need', () => task({ status: 'todo' })],
    ['a card that is done without an end', () => task({ status: 'done' })],
    ['a card that waits with an end', () => task({ settled_at_ms: 5 })],
    ['a card with a wish that does not run', () => task({ wish: 'stop', wish_by: 'x' })],
    ['a card of no board', () => task({ board: 'nowhere' })],
    ['a card with a row key and no batch', () => task({ row_key: 'a' })],
    ['a rank that is not its priority', () => task({ priority: 3 })],
    ['a status that nobody knows', () => task({ status: 'paused' })],
    ['text where a number belongs', () => task({ priority: 'high' })],
    ['a reviewer of a card that is under no review', () => task({ review_lane: 'claude' })],
    ['a card that goes back to its review and is not blocked', () => task({ from_review: 1 })],
    ['a blocked card with a reviewer that does not go back to it', () => task({ status: 'blocked', review_lane: 'a' })],
    ['a need on itself', () => insert('need', { task: 1, on_task: 1, on_end: 'done' })],
    ['a need on nothing', () => insert('need', { task: 1, on_task: 99, on_end: 'done' })],
    ['an attempt with a pid and no fingerprint', () => run({ pid: 5, phase: 'started' })],
    ['an attempt that started without a process', () => run({ phase: 'started' })],
    ['an attempt that ended without an outcome', () => run({ phase: 'exited' })],
    ['an attempt that is over with its process tree unsettled', () => run({ settled_at_ms: 5 })],
    ['half a stop reason', () => run({ stop_kind: 'stop' })],
    ['a fence that is no fence', () => run({ fence: 0 })],
    ['a stage of a run that has no process', () => run({ stage: 'prepare' })],
    ['a process that has ended and never was', () => run({ stage_over: 1 })],
    ['a judgement of work that never began', () => run({ judged: '{}' })],
    ['a judgement of work that is not over', () => run({ ...started, judged: '{}' })],
    ['a judgement before the work', () => run({ ...started, stage: 'prepare', stage_over: 1, judged: '{}' })],
    ['an attempt that nobody knows where it came from', () => run({ claimed_from: 'todo' })],
    ['an open stage of a run that is in none', () => stage({ run: 1 })],
    ['a stage that has ended for no reason', () => stage({ ended_at_ms: 5 })],
    ['a change with half a patch', () => change({ patch_sha256: 'a'.repeat(64) })],
    ['an attachment with a folder in its name', () => attachment({ name: 'a/b' })],
    ['an attachment of no card', () => attachment({ task: 99 })],
  ])('%s', (_, make) => {
    expect(make).toThrow(/constraint failed|cannot store/i)
  })

  test('a second open attempt at one card, in one folder, or on one slot number', () => {
    task({ folder: '/a' })
    run({ folder: '/a' })
    expect(() => run({ attempt: 2, slot: 1 })).toThrow('UNIQUE')
    expect(() => run({ task: 2, slot: 1, folder: '/a' })).toThrow('UNIQUE')
    expect(() => run({ task: 2, slot: 0 })).toThrow('UNIQUE')
    expect(() => run({ task: 2, slot: 1 })).not.toThrow()
  })

  test('two open cards of a board with one key', () => {
    task({ key: 'k' })
    expect(() => task({ key: 'k' })).toThrow('UNIQUE')
    expect(() => task({ key: 'k', status: 'failed', settled_at_ms: 1 })).not.toThrow()
  })
})
