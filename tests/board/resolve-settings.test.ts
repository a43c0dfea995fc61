// biome-ignore-all lint/suspicious/noThenProperty: the public field of an exit rule
import { describe, expect, test } from 'vitest'
import { resolveSettings, type SettingSources, settingsOf, whyImpossible } from '../../src/board/index.ts'
import { spec } from './open-test-board.ts'

const sources = (over: Partial<SettingSources> = {}): SettingSources => ({
  spec: spec(),
  defaults: null,
  board: null,
  lane: { uses: 'command' },
  builtInGraceMs: 10_000,
  ...over,
})
const prompt = { title: 't', prompt: 'do it', dir: '/shop' }

describe('the settings of an attempt', () => {
  test('built in for a command: fails once, two hours, never stalled, in its folder, a cut one asks', () => {
    expect(settingsOf(resolveSettings(sources()))).toEqual({
      timeoutMs: 7_200_000,
      stallMs: 'off',
      graceMs: 10_000,
      attempts: 1,
      rerun: 'ask',
      env: {},
      workspace: { kind: 'here' },
      exits: [],
      keeps: false,
      memoryBytes: 'off',
      logBytes: 9_437_184,
      check: null,
      mayChange: null,
      expect: 'any',
      review: 'none',
      budgetTokens: 'off',
      budgetUsd: 'off',
    })
  })

  test('a prompt of our own agent may use 5 million tokens; where nobody counts them, as in a command, nothing is said', () => {
    const tokensOf = (over: Partial<SettingSources>) => resolveSettings(sources(over)).budgetTokens
    expect(tokensOf({ spec: prompt, lane: { uses: 'chat' } })).toEqual({ value: 5_000_000, from: 'built in' })
    expect(tokensOf({ spec: prompt, lane: { uses: 'command' } }).value).toBe('off')
  })

  test('a budget is of the task, else the batch, the board, the lane; its two limits are decided one by one', () => {
    const around = {
      spec: prompt,
      defaults: { budgetTokens: 4, budgetUsd: 4 },
      board: { budgetTokens: 3, budgetUsd: 3 },
      lane: { uses: 'chat', budgetTokens: 2, budgetUsd: 2 },
    } as const
    const budgetOf = (over: Partial<SettingSources>) => {
      const { budgetTokens, budgetUsd } = resolveSettings(sources({ ...around, ...over }))
      return [budgetTokens, budgetUsd].map(({ value, from }) => `${value} ${from}`)
    }
    expect(budgetOf({ spec: { ...prompt, budgetTokens: 'off' } })).toEqual(['off task', '4 batch'])
    expect(budgetOf({ defaults: null })).toEqual(['3 board', '3 board'])
    expect(budgetOf({ defaults: { budgetUsd: 9 }, board: null })).toEqual(['2 lane', '9 batch'])
    expect(budgetOf({ spec: spec({}) })).toEqual(['2 lane', '2 lane'])
  })

  test('built in for a prompt: may fail twice, stalled after 30 minutes, in a scratch folder, a cut one is repeated', () => {
    expect(settingsOf(resolveSettings(sources({ spec: prompt, lane: { uses: 'chat' } })))).toMatchObject({
      stallMs: 1_800_000,
      attempts: 2,
      rerun: 'auto',
      workspace: { kind: 'scratch' },
    })
  })

  test('a prompt that works where others work asks before it is repeated, unless somebody says otherwise', () => {
    const there = { ...prompt, workspace: { kind: 'dir', path: '/x', shared: false } } as const
    expect(resolveSettings(sources({ spec: there })).rerun).toEqual({ value: 'ask', from: 'built in' })
    expect(resolveSettings(sources({ spec: { ...there, rerun: 'auto' } })).rerun).toEqual({
      value: 'auto',
      from: 'task',
    })
  })

  test('task goes before batch, batch before lane, lane before built in, and each value says where it is from', () => {
    const lane = { uses: 'command', timeoutMs: 3, graceMs: 3, attempts: 3 } as const
    const resolved = resolveSettings(
      sources({ spec: spec({ timeoutMs: 1 }), defaults: { timeoutMs: 2, graceMs: 2 }, lane }),
    )
    expect(resolved.timeoutMs).toEqual({ value: 1, from: 'task' })
    expect(resolved.graceMs).toEqual({ value: 2, from: 'batch' })
    expect(resolved.attempts).toEqual({ value: 3, from: 'lane' })
    expect(resolved.keeps).toEqual({ value: false, from: 'built in' })
  })

  test('variables merge by name, the more special one wins', () => {
    const lane = { uses: 'command', env: { A: 'lane', B: 'lane', C: 'lane' } } as const
    const resolved = resolveSettings(
      sources({ spec: spec({ env: { A: 'task' } }), defaults: { env: { A: 'batch', B: 'batch' } }, lane }),
    )
    expect(resolved.env).toEqual({ value: { A: 'task', B: 'batch', C: 'lane' }, from: 'task' })
  })

  test('exit rules are taken whole from the first that has any', () => {
    const lane = { uses: 'command', exits: [{ code: [2], then: 'block' }] } as const
    const exits = [{ code: [75], then: 'done' }] as const
    expect(resolveSettings(sources({ lane })).exits.from).toBe('lane')
    expect(resolveSettings(sources({ lane, spec: spec({ exits }) })).exits).toEqual({ value: exits, from: 'task' })
  })

  test('a check, may_change, expect or review of a batch is for prompts; a command has only its own', () => {
    const defaults = {
      check: { run: 'npm test' },
      mayChange: ['src/**'],
      expect: 'change',
      review: 'person',
      timeoutMs: 5,
    } as const
    const ofCommand = resolveSettings(sources({ defaults }))
    expect(settingsOf(ofCommand)).toMatchObject({ check: null, mayChange: null, expect: 'any', review: 'none' })
    expect(ofCommand.timeoutMs).toEqual({ value: 5, from: 'batch' })
    expect(settingsOf(resolveSettings(sources({ spec: prompt, defaults })))).toMatchObject(defaults)
    const check = { run: ['make', 'check'] }
    expect(resolveSettings(sources({ spec: spec({ check }), defaults })).check).toEqual({ value: check, from: 'task' })
  })

  test('task goes before batch before board with a check, and a task may switch it off', () => {
    const board = { check: { run: 'board' } }
    const defaults = { check: { run: 'batch' } }
    expect(resolveSettings(sources({ spec: prompt, board })).check).toEqual({ value: board.check, from: 'board' })
    expect(resolveSettings(sources({ spec: prompt, board, defaults })).check.from).toBe('batch')
    expect(resolveSettings(sources({ spec: { ...prompt, check: null }, board, defaults })).check).toEqual({
      value: null,
      from: 'task',
    })
  })
})

describe('where an attempt works', () => {
  const inShop = { ...prompt, repo: '/shop', repoBranch: 'main' }
  const workspaceOf = (over: Partial<SettingSources>) => resolveSettings(sources(over)).workspace

  test('a prompt inside a repository works in a worktree from the branch of then, a command in its folder', () => {
    expect(workspaceOf({ spec: inShop })).toEqual({
      value: { kind: 'worktree', repo: '/shop', ref: 'main' },
      from: 'built in',
    })
    expect(resolveSettings(sources({ spec: inShop })).rerun.value).toBe('auto')
    expect(workspaceOf({ spec: spec({ repo: '/shop' }) })).toEqual({ value: { kind: 'here' }, from: 'built in' })
  })

  test('a prompt on a board with a repository works in a worktree of that, wherever the card was made', () => {
    const board = { repo: '/code/shop', worktree: { setup: { run: 'npm ci' } } }
    expect(workspaceOf({ spec: { ...prompt, repo: '/elsewhere', repoBranch: 'main' }, board })).toEqual({
      value: { kind: 'worktree', repo: '/code/shop', setup: { run: 'npm ci' } },
      from: 'board',
    })
    expect(workspaceOf({ board }).value).toEqual({ kind: 'here' })
  })

  test('a worktree takes what it does not say from the batch, then from the board', () => {
    const board = { repo: '/code/shop', worktree: { setup: { run: 'npm ci' }, copy: ['.env'], ref: 'dev' } }
    const defaults = { workspace: { kind: 'worktree', copy: ['.env.test'] } } as const
    const task = { ...prompt, workspace: { kind: 'worktree', fresh: true } } as const
    expect(workspaceOf({ spec: task, defaults, board })).toEqual({
      value: {
        kind: 'worktree',
        repo: '/code/shop',
        ref: 'dev',
        setup: { run: 'npm ci' },
        copy: ['.env.test'],
        fresh: true,
      },
      from: 'task',
    })
  })

  test('a setup that is switched off is none', () => {
    const board = { repo: '/code/shop', worktree: { setup: { run: 'npm ci' } } }
    const workspace = { kind: 'worktree', setup: null } as const
    expect(workspaceOf({ spec: { ...prompt, workspace }, board }).value).toEqual({
      kind: 'worktree',
      repo: '/code/shop',
    })
  })

  test('what is said of another repository is not taken along', () => {
    const board = { repo: '/code/shop', worktree: { setup: { run: 'npm ci' } } }
    const workspace = { kind: 'worktree', repo: 'https://example.org/x.git' } as const
    expect(workspaceOf({ spec: { ...inShop, workspace }, board }).value).toEqual(workspace)
  })
})

describe('settings that cannot be meant together', () => {
  const refusalOf = (over: Partial<SettingSources>) => {
    const refusal = whyImpossible(resolveSettings(sources(over)))
    return refusal === undefined ? undefined : `${refusal.code}: ${refusal.message}`
  }

  test('a worktree without a repository', () => {
    expect(refusalOf({ spec: { ...prompt, workspace: { kind: 'worktree' } } })).toContain('BOARD_NO_REPOSITORY')
    expect(refusalOf({ spec: { ...prompt, repo: '/shop', workspace: { kind: 'worktree' } } })).toBeUndefined()
  })

  test('may_change and expect: change without a worktree, whoever said it', () => {
    expect(refusalOf({ spec: { ...prompt, mayChange: ['src/**'] } })).toBe(
      'BOARD_NEEDS_WORKTREE: may_change is judged by what changed in a worktree, and this task works in an empty folder',
    )
    const defaults = { expect: 'change', workspace: { kind: 'here' } } as const
    expect(refusalOf({ spec: prompt, defaults })).toContain('works here (workspace, said by the batch)')
    expect(refusalOf({ defaults })).toBeUndefined()
  })

  test('a depth of a folder of this machine', () => {
    const workspace = { kind: 'worktree', repo: '/code/shop', depth: 1 } as const
    expect(refusalOf({ spec: { ...prompt, workspace } })).toContain('BOARD_DEPTH_OF_A_FOLDER')
  })
})
