import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../../../src/kernel/index.ts'
import type { CommandGuard } from '../../../../src/worker/tools/terminal/desk-deps.ts'
import { TestDesk } from './desk.ts'

/** Waits a thousandth of what is asked for. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal) }

describe('what a guard does not allow is not run', () => {
  test('a command that the operator forbids, with the reason', async () => {
    await using desk = new TestDesk({ deniedCommands: ['touch *'] })
    const result = await desk.use('terminal', { command: 'true && touch x' })
    expect(result).toMatchObject({ outcome: 'failed', counts: ['guard_denied_command'] })
    expect(result.text).toBe('error: not started: the operator does not allow touch x here. Do it another way')
    expect(existsSync(join(desk.workspace, 'x'))).toBe(false)
    expect(await desk.terminal('echo touch x')).toContain('touch x\n')
  })

  test('one that needs an approval that nobody can give: the model is told to block, and nothing is done', async () => {
    await using desk = new TestDesk({ approvalCommands: ['touch *'] })
    const result = await desk.use('terminal', { command: 'touch x', background: true })
    expect(result).toMatchObject({ outcome: 'failed', counts: ['guard_approval_needed'] })
    expect(result.text).toMatch(
      /touch x needs the approval of a person, and nobody can give it here: call block with kind approval/,
    )
    expect(existsSync(join(desk.workspace, 'x'))).toBe(false)
  })

  test.each<[string, CommandGuard, string]>([
    ['that is silent, after five seconds', () => new Promise(() => {}), 'did not answer within 5s'],
    ['that breaks', () => Promise.reject(new Error('no such list')), 'did not work: no such list'],
    [
      'that breaks at once',
      () => {
        throw new Error('at once')
      },
      'did not work: at once',
    ],
    ['that says no', async () => ({ kind: 'denied', says: 'not on a Friday' }), 'not on a Friday'],
  ])('by one %s', async (_, guard, says) => {
    await using desk = new TestDesk({ clock: hasty, guards: [async () => ({ kind: 'allowed' }), guard] })
    expect(await desk.terminal('touch x')).toContain(says)
    expect(existsSync(join(desk.workspace, 'x'))).toBe(false)
  })

  test('a stop does not wait for a guard', async () => {
    await using desk = new TestDesk({ guards: [() => new Promise(() => {})] })
    setImmediate(() => desk.stop.abort())
    expect(await desk.terminal('touch x')).toContain('not started: the worker was told to stop')
  })
})

test('a guard that allows it is no hindrance', async () => {
  await using desk = new TestDesk({ guards: [async () => ({ kind: 'allowed' })], deniedCommands: ['git push*'] })
  expect(await desk.terminal('echo x')).toMatch(/^x\n/)
})
