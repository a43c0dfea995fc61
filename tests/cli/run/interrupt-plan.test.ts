import { describe, expect, test } from 'vitest'
import { choicesLine, type InterruptFacts, planInterrupt } from '../../../src/cli/run/interrupt-plan.ts'

const facts = (given: Partial<InterruptFacts>): InterruptFacts => ({
  worked: 'private',
  state: 'calm',
  isInteractive: true,
  isCi: false,
  ...given,
})

describe('a run that works its batch itself', () => {
  test('asks first, ends at the second Ctrl-C, and at once at the third', () => {
    expect(planInterrupt('SIGINT', facts({}))).toBe('show_choices')
    expect(planInterrupt('SIGINT', facts({ state: 'asked' }))).toBe('end')
    expect(planInterrupt('SIGINT', facts({ state: 'ending' }))).toBe('end_at_once')
  })

  test('ends at the first signal under CI, where nobody reads and the next one kills', () => {
    expect(planInterrupt('SIGINT', facts({ isCi: true }))).toBe('end')
    expect(planInterrupt('SIGTERM', facts({ isCi: true, state: 'ending' }))).toBe('end_at_once')
  })

  test('ends at the first Ctrl-C where there is no terminal to ask on', () => {
    expect(planInterrupt('SIGINT', facts({ isInteractive: false }))).toBe('end')
  })

  test('SIGTERM is never a question; after Ctrl-C it means at once', () => {
    expect(planInterrupt('SIGTERM', facts({}))).toBe('end')
    expect(planInterrupt('SIGTERM', facts({ state: 'asked' }))).toBe('end_at_once')
  })

  test('goes on without its terminal', () => {
    expect(planInterrupt('SIGHUP', facts({}))).toBe('go_on_without_terminal')
  })
})

describe('a run that a hub works', () => {
  test('is left to the hub, after asking where somebody can answer', () => {
    const shared = facts({ worked: 'shared' })
    expect(planInterrupt('SIGINT', shared)).toBe('show_choices')
    expect(planInterrupt('SIGINT', { ...shared, state: 'asked' })).toBe('detach')
    expect(planInterrupt('SIGHUP', shared)).toBe('detach')
    expect(planInterrupt('SIGTERM', shared)).toBe('detach')
    expect(planInterrupt('SIGINT', { ...shared, isCi: true })).toBe('detach')
  })
})

test('the choices say how many run, what Ctrl-C does now, and how to stop them otherwise', () => {
  expect(choicesLine({ worked: 'private', running: 8, id: 7 })).toMatch(
    /^8 attempts running\. Ctrl-C again: stop them \(they go back/,
  )
  expect(choicesLine({ worked: 'private', running: 1, id: 7 })).toMatch(
    /^1 attempt running\. Ctrl-C again: stop it \(it goes back/,
  )
  expect(choicesLine({ worked: 'shared', running: 1, id: 7 })).toMatch(/^1 attempt running.*yardmaster cancel B7$/)
})
