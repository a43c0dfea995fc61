// biome-ignore-all lint/suspicious/noThenProperty: the public field of an exit rule
import { describe, expect, test } from 'vitest'
import { resolveSettings, type SettingSources, settingsOf } from '../../src/board/index.ts'
import { spec } from './open-test-board.ts'

const sources = (over: Partial<SettingSources> = {}): SettingSources => ({
  spec: spec(),
  defaults: null,
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
    })
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
})
