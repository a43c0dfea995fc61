// biome-ignore-all lint/suspicious/noThenProperty: the public field name
import fc from 'fast-check'
import type { Static, TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import {
  BatchTaskBody,
  EditTaskBody,
  ListTasksQuery,
  NewBatchBody,
  NewTaskBody,
  notYet,
  parseBody,
  parseQuery,
} from '../../../src/api/contract/index.ts'

const card = { dir: '/srv/shop', run: 'npm test' }

function faultsOf(schema: TSchema, value: unknown): readonly string[] {
  const parsed = parseBody(schema, value)
  return parsed.kind === 'body' ? [] : parsed.faults.map(({ path, says, fix }) => `${path}: ${says}; ${fix}`)
}

describe('what a card may say', () => {
  test('a card with every field of this version is accepted as it is', () => {
    const full: Static<typeof NewTaskBody> = {
      ...card,
      board: 'shop',
      key: 'nightly',
      draft: true,
      needs: [{ task: 3, when: 'always' }],
      lane: 'tests',
      timeout: '1h30m',
      stall: 'off',
      memory: '4GiB',
      attempts: 3,
      rerun: 'ask',
      env: { CI: '1' },
      workspace: { dir: '/srv/shop', shared: true },
      exits: [
        { code: [2, 5], then: 'block', why: 'bad input' },
        { output: 'quota', then: 'wall' },
      ],
      keeps: false,
      grace: '3s',
      priority: -9,
      labels: ['night'],
      title: 'Test the shop',
      start_after: '07:30',
    }
    expect(parseBody(NewTaskBody, full)).toEqual({ kind: 'body', body: full })
  })

  test('C137: a misspelt field is refused by its name and with the one that was meant', () => {
    expect(faultsOf(NewTaskBody, { ...card, start_afer: '07:30' })).toEqual([
      'start_afer: is not known; did you mean start_after?',
    ])
    expect(faultsOf(NewTaskBody, { ...card, 'start-after': '07:30' })).toEqual([
      'start-after: is not known; did you mean start_after?',
    ])
    expect(faultsOf(NewTaskBody, { ...card, workspace: { dirr: '/x' } })).toEqual([
      'workspace.dirr: is not known; did you mean dir?',
    ])
  })

  test('C137: a field that nobody could have meant is refused with the list of known ones', () => {
    expect(faultsOf(NewTaskBody, { ...card, zebra: 1 })[0]).toMatch(/^zebra: is not known; known here: lane, /)
  })

  test.each(notYet.task)('a card with %s is refused, because a later part brings it', (field) => {
    for (const schema of [NewTaskBody, EditTaskBody]) {
      expect(faultsOf(schema, { ...card, [field]: true })).toContain(
        `${field}: is not available yet; take it out; a later version brings it`,
      )
    }
  })

  test('every form of what a task says of the code is taken', () => {
    for (const check of ['npm test', ['npm', 'test'], { run: 'npm test', timeout: '5m' }, 'none', null]) {
      expect(faultsOf(NewTaskBody, { ...card, check })).toEqual([])
    }
    const worktrees = [
      'worktree',
      { repo: '/shop' },
      { repo: 'https://example.org/shop.git', depth: 1, ref: 'main' },
      { setup: { run: ['npm', 'ci'], timeout: '5m', key: ['package-lock.json'] }, copy: ['.env*'], fresh: true },
    ]
    for (const workspace of worktrees) expect(faultsOf(NewTaskBody, { ...card, workspace })).toEqual([])
    const judged = { may_change: 'src/**', expect: 'change', review: 'person' }
    expect(faultsOf(NewTaskBody, { ...card, ...judged })).toEqual([])
    expect(faultsOf(NewTaskBody, { ...card, may_change: ['src/**', '!src/x'], review: 'claude' })).toEqual([])
  })

  test.each([
    [
      'a folder and a repository',
      { workspace: { dir: '/x', repo: '/y' } },
      'workspace.repo: does not go with dir; keep one',
    ],
    [
      'a folder and a setup',
      { workspace: { dir: '/x', setup: 'y' } },
      'workspace.setup: does not go with dir; keep one',
    ],
    ['a disposable folder of yours (C80)', { workspace: { dir: '/x', fresh: true } }, 'workspace.fresh: does not go'],
    [
      'a shared worktree',
      { workspace: { repo: '/y', shared: true } },
      'workspace.repo: does not go with shared; keep one',
    ],
    ['a workspace of nothing', { workspace: {} }, 'workspace: is empty; write at least 1, or take the key out'],
    ['a misspelt word', { workspace: 'worktre' }, 'workspace: must be here | scratch | worktree, or a map with'],
    ['no commits', { workspace: { depth: 0 } }, 'workspace.depth: must be a whole number from 1 to'],
    ['an empty check', { check: ' ' }, 'check: must be text for bash -euo pipefail -c, or a list of'],
    ['a check of nothing', { check: [] }, 'check: is empty; write at least 1, or take the key out'],
    [
      'a misspelt part of a check',
      { check: { run: 'x', time: '3m' } },
      'check.time: is not known; did you mean timeout?',
    ],
    [
      'an absolute glob',
      { may_change: ['/etc/**'] },
      "may_change[0]: must be a path or glob from the repository's top",
    ],
    ['a glob outside', { may_change: 'src/../../x' }, "may_change: must be a path or glob from the repository's top"],
    ['an empty glob', { may_change: [''] }, "may_change[0]: must be a path or glob from the repository's top"],
    ['no glob at all', { may_change: [] }, 'may_change: is empty; write at least 1'],
    ['a file from outside', { workspace: { copy: ['../.env'] } }, 'workspace.copy[0]: must be a path or glob from the'],
    [
      'a misspelt expectation',
      { expect: 'changes' },
      'expect: must be any | change, not "changes"; did you mean change?',
    ],
  ])('a card with %s is refused', (_, fields, says) => {
    expect(faultsOf(NewTaskBody, { ...card, ...fields })).toEqual([expect.stringContaining(says)])
  })

  test.each([
    ['both prompt and run', { dir: '/x', prompt: 'a', run: 'b' }, ': has both prompt and run; keep one of them'],
    ['neither', { dir: '/x' }, ': has neither prompt nor run; write one of them'],
    ['a relative folder', { ...card, dir: 'src' }, 'dir: must be an absolute path of a folder, not "src"'],
    ['a timeout of nothing', { ...card, timeout: '0s' }, 'timeout: must be a duration such as 30s'],
    ['a timeout without unit', { ...card, timeout: '30' }, 'timeout: must be a duration such as 30s'],
    ['a number for a timeout', { ...card, timeout: 30 }, 'timeout: must be a duration such as 30s'],
    ['no such stall', { ...card, stall: 'never' }, 'stall: must be a duration such as 30s, 20m or 5h'],
    ['priority 10', { ...card, priority: 10 }, 'priority: must be a whole number from -9 to 9, not 10'],
    ['half an attempt', { ...card, attempts: 1.5 }, 'attempts: must be a whole number from 1 to 100, not 1.5'],
    ['a misspelt rerun', { ...card, rerun: 'autos' }, 'rerun: must be auto | ask, not "autos"; did you mean auto?'],
    ['an empty list to run', { ...card, run: [] }, 'run: is empty; write at least 1'],
    [
      'a number to run',
      { ...card, run: 7 },
      'run: must be text without NUL bytes, or a list of text without NUL bytes, not 7',
    ],
    [
      'a NUL byte in an argument',
      { ...card, run: ['a\0b'] },
      'run[0]: must be text without NUL bytes, not "a\\u0000b"',
    ],
    [
      'a variable that cannot be one',
      { ...card, env: { '1A': 'x' } },
      'env.1A: is no name that may stand here; variables: letters',
    ],
    ['a number for a variable', { ...card, env: { A: 1 } }, 'env.A: must be text without NUL bytes, not 1'],
    ['a rule with code and output', { ...card, exits: [{ code: 1, output: 'x', then: 'fail' }] }, 'exits[0]: has both'],
    ['a rule with neither', { ...card, exits: [{ then: 'fail' }] }, 'exits[0]: has neither code nor output'],
    ['a label with a line break', { ...card, labels: ['a\nb'] }, 'labels[0]: must be one line without control'],
    ['a title of 501 characters', { ...card, title: 'x'.repeat(501) }, 'title: has 501 characters, and at most 500'],
    ['an empty prompt', { dir: '/x', prompt: '' }, 'prompt: must be some text, not ""'],
    ['a list as the body', [card], ': must be a map of keys, not a list'],
    ['nothing as the body', null, ': must be a map of keys, not nothing'],
    ['a need without id', { ...card, needs: [{ task: 'T5', when: 'done' }] }, 'needs[0].task: must be a whole number'],
    ['no such time', { ...card, start_after: 'tomorrow' }, 'start_after: must be a time: 07:30 (the next one)'],
  ])('%s is refused', (_, body, fault) => {
    const faults = faultsOf(NewTaskBody, body)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toContain(fault)
  })

  test('a prompt of 3 MB and a title of 500 emoji are data', () => {
    const body = { dir: '/x', prompt: 'é'.repeat(1_500_000), title: '🧵'.repeat(500) }
    expect(faultsOf(NewTaskBody, body)).toEqual([])
  })

  test('an edit may change either text, never set both', () => {
    expect(faultsOf(EditTaskBody, { prompt: 'x' })).toEqual([])
    expect(faultsOf(EditTaskBody, {})).toEqual([])
    expect(faultsOf(EditTaskBody, { prompt: 'x', run: 'y' })).toEqual([': has both prompt and run; keep one of them'])
  })
})

describe('what a batch may say', () => {
  const batch = {
    name: 'night',
    digest: 'sha',
    file: null,
    dir: '/srv/shop',
    limits: {},
    defaults: {},
    tasks: [{ key: 'a', run: 'true' }],
    mode: 'auto',
    redo: [],
  }

  test('all faults of all rows are told at once, each with its place', () => {
    const broken = {
      ...batch,
      limits: { halt: '120%', budget: { usd: 40 } },
      defaults: { attempts: 0, budget: { usd: 0 } },
      tasks: [
        { key: 'a', run: 'true', timeot: '3m' },
        { key: 'b' },
        { key: 'c', prompt: 'x', needs: [{ task: 'a', when: 'failed' }] },
      ],
    }
    expect(faultsOf(NewBatchBody, broken)).toEqual([
      expect.stringContaining(
        'limits.halt: must be a whole number from 1 to 1000000, or a share from 1% to 100%, not "120%"',
      ),
      'limits.budget: is not available yet; take it out; a later version brings it',
      expect.stringContaining('defaults.attempts: must be a whole number from 1 to 100, not 0'),
      expect.stringContaining('defaults.budget.usd: must be'),
      'tasks[0].timeot: is not known; did you mean timeout?',
      'tasks[1]: has neither prompt nor run; write one of them',
      expect.stringContaining('tasks[2].needs[0].when: must be done | always, not "failed"'),
    ])
  })

  test('of a thousand faults the first hundred are told, and how many more there are', () => {
    const tasks = Array.from({ length: 1_000 }, (_, index) => ({ key: `k${index}` }))
    const faults = faultsOf(NewBatchBody, { ...batch, tasks })
    expect(faults).toHaveLength(101)
    expect(faults.at(-1)).toBe(': and 900 more faults; mend these first')
  })

  test('a batch without tasks is refused', () => {
    expect(faultsOf(NewBatchBody, { ...batch, tasks: [] })).toEqual([
      'tasks: is empty; write at least 1, or take the key out',
    ])
  })
})

describe('queries', () => {
  test('numbers in a query are read, anything else in their place is refused', () => {
    expect(parseQuery(ListTasksQuery, { batch: '7', limit: '50', label: '12' })).toEqual({
      kind: 'body',
      body: { batch: 7, limit: 50, label: '12' },
    })
    expect(parseQuery(ListTasksQuery, { limit: '1e3' })).toMatchObject({ kind: 'faults', faults: [{ path: 'limit' }] })
    expect(parseQuery(ListTasksQuery, { bord: 'x' })).toMatchObject({
      faults: [{ path: 'bord', says: 'is not known', fix: 'did you mean board?' }],
    })
  })
})

describe('the two judges', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('30s', 'off', 'here', 'worktree', '/x', 'auto', 'a\nb', 0, 1, -1, null, true, [], {}, ['a']),
    fc.dictionary(
      fc.constantFrom('dir', 'shared', 'repo', 'ref', 'setup', 'copy', 'fresh', 'depth', 'run', 'timeout', 'key'),
      fc.constantFrom('/x', '../x', 'none', ' ', true, 1, 0, [], ['a'], ['/a'], { run: 'x' }, { run: [], key: ['b'] }),
      { maxKeys: 4 },
    ),
  )
  const names = ['key', 'prompt', 'run', 'timeout', 'stall', 'workspace', 'env', 'exits', 'labels', 'title', 'needs']
  const code = ['check', 'may_change', 'expect', 'review']
  const rows = fc.dictionary(fc.constantFrom(...names, ...code, 'matrix', 'priority', 'rerun', 'x'), odd)

  test('whatever JSON Schema refuses has at least one fault that names a place, and nothing else has any', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const faults = faultsOf(BatchTaskBody, row)
        expect(faults.length === 0).toBe(Check(BatchTaskBody, row))
        expect(faults.join()).not.toContain('does not have the documented form')
      }),
      { numRuns: 500 },
    )
  })
})
