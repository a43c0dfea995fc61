import { describe, expect, test } from 'vitest'
import type { NewBatchBody, NewTaskBody } from '../../../src/api/contract/index.ts'
import { type ApiYard, endRun, openApiYard, startRun } from '../open-yard.ts'

const card: NewTaskBody = { dir: '/code/shop/src', prompt: 'Fix it', repo: '/code/shop', repo_branch: 'main' }
const settingOf = async ({ client }: ApiYard, field: string) =>
  (await client.settings(1)).find((setting) => setting.field === field)

describe('a card about code', () => {
  test('works in a worktree of what was found around it, from the branch of then', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    expect(await settingOf(yard, 'workspace')).toEqual({
      field: 'workspace',
      value: { repo: '/code/shop', ref: 'main' },
      from: 'built in',
    })
    expect(await settingOf(yard, 'rerun')).toMatchObject({ value: 'auto' })
    expect(await settingOf(yard, 'check')).toEqual({ field: 'check', value: 'none', from: 'built in' })
    expect(await settingOf(yard, 'may_change')).toEqual({ field: 'may_change', value: ['**'], from: 'built in' })
  })

  test('goes onto the board whose repository holds its folder, unless it names one', async () => {
    await using yard = await openApiYard()
    expect(await yard.client.createTask({ dir: '/code/shop', run: 'true' })).toMatchObject({ task: { board: 'shop' } })
    expect(await yard.client.createTask({ dir: '/code/shop', run: 'true', board: 'main' })).toMatchObject({
      task: { board: 'main' },
    })
  })

  test('may be reviewed by any lane that takes a prompt, the author’s own as well', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...card, lane: 'claude', review: 'claude' })
    expect(await settingOf(yard, 'review')).toEqual({ field: 'review', value: 'claude', from: 'task' })
  })

  test.each<[string, Partial<NewTaskBody>, string, string]>([
    ['a reviewer whom nobody has', { review: 'cluade' }, 'API_UNKNOWN_LANE', 'claude'],
    ['a reviewer who takes no prompt', { review: 'tests' }, 'API_LANE_DOES_NOT_FIT', 'an agent lane'],
    ['limits without a worktree', { workspace: 'here', may_change: 'src/**' }, 'BOARD_NEEDS_WORKTREE', 'worktree'],
    ['an expectation without one', { workspace: 'scratch', expect: 'change' }, 'BOARD_NEEDS_WORKTREE', 'worktree'],
    ['a depth of a folder', { workspace: { depth: 1 } }, 'BOARD_DEPTH_OF_A_FOLDER', 'take depth out'],
    ['a relative repository', { workspace: { repo: '../x' } }, 'API_BAD_REQUEST', 'workspace.repo'],
    ['an address with a password', { workspace: { repo: 'https://a:hunter2@h/x' } }, 'API_BAD_REQUEST', 'use ssh'],
    ['an option for a ref', { workspace: { ref: '--all' } }, 'API_BAD_REQUEST', 'workspace.ref'],
    ['a check without end', { check: { run: 'x', timeout: '999999999d' } }, 'API_BAD_REQUEST', 'check.timeout'],
  ])('%s is refused, and nothing is made', async (_, fields, code, says) => {
    await using yard = await openApiYard()
    const refused = await yard.client.createTask({ ...card, ...fields }).catch((error) => error)
    expect(refused).toMatchObject({ code })
    const told = JSON.stringify([refused.message, refused.fix, refused.values])
    expect(told).toContain(says)
    expect(told).not.toContain('hunter2')
    expect((await yard.client.listTasks({})).rows).toEqual([])
  })

  test('is refused outside a repository only where it asks for a worktree', async () => {
    await using yard = await openApiYard()
    const outside = { dir: '/tmp', prompt: 'Fix it' }
    await expect(yard.client.createTask({ ...outside, workspace: 'worktree' })).rejects.toMatchObject({
      code: 'BOARD_NO_REPOSITORY',
    })
    await yard.client.createTask(outside)
    expect(await settingOf(yard, 'workspace')).toMatchObject({ value: 'scratch' })
  })

  test('keeps what fits when it is edited: a change that would make it impossible is refused', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ ...card, may_change: ['src/**'] })
    await expect(yard.client.editTask(1, { workspace: 'here' })).rejects.toMatchObject({ code: 'BOARD_NEEDS_WORKTREE' })
    await yard.client.editTask(1, { check: 'none', title: 'other' })
    await yard.client.editTask(1, { workspace: { repo: 'https://example.org/x.git' }, review: 'person' })
    expect(await settingOf(yard, 'workspace')).toMatchObject({ value: { repo: 'https://example.org/x.git' } })
  })
})

describe('a batch about code', () => {
  const batch: NewBatchBody = {
    name: 'night',
    digest: 'sha-1',
    file: '/code/shop/night.yaml',
    dir: '/code/shop',
    repo: '/code/shop',
    repo_branch: 'main',
    limits: {},
    defaults: { check: 'npm test', expect: 'change', workspace: { setup: 'npm ci' } },
    tasks: [
      { key: 'fix', prompt: 'Fix it' },
      { key: 'count', run: 'true', workspace: 'here' },
    ],
    mode: 'auto',
    redo: [],
    board: 'main',
  }

  test('gives its prompts what its defaults say, and its commands only where they work', async () => {
    await using yard = await openApiYard()
    await yard.client.submitBatch(batch)
    expect(await yard.client.settings(1)).toEqual(
      expect.arrayContaining([
        { field: 'workspace', value: { setup: 'npm ci', repo: '/code/shop', ref: 'main' }, from: 'batch' },
        { field: 'check', value: 'npm test', from: 'batch' },
        { field: 'expect', value: 'change', from: 'batch' },
      ]),
    )
    expect(await yard.client.settings(2)).toEqual(
      expect.arrayContaining([
        { field: 'check', value: 'none', from: 'built in' },
        { field: 'expect', value: 'any', from: 'built in' },
      ]),
    )
  })

  test('is not changed since because another branch is checked out today', async () => {
    await using yard = await openApiYard()
    await yard.client.submitBatch({ ...batch, key: 'k' })
    const { run } = startRun(yard)
    endRun(yard, { run })
    const again = await yard.client.submitBatch({ ...batch, key: 'k', repo_branch: 'other', repo: '/code/shop2' })
    expect(again).toMatchObject({ how: 'continued', changed_done: [] })
  })

  test('names the row that cannot be', async () => {
    await using yard = await openApiYard()
    const tasks = [
      { key: 'a', prompt: 'x' },
      { key: 'b', prompt: 'y', workspace: 'here' as const },
    ]
    await expect(yard.client.submitBatch({ ...batch, tasks })).rejects.toMatchObject({
      code: 'API_BAD_REQUEST',
      message: expect.stringContaining('tasks[1] cannot be: expect: change is judged by what changed'),
    })
  })
})
