import { describe, expect, test } from 'vitest'
import type { Run, Task } from '../../../src/board/index.ts'
import { composeContinuation } from '../../../src/dispatcher/lanes/compose-continuation.ts'
import { runId } from '../../../src/kernel/index.ts'

const task = { id: 5, title: 'Sessions' } as unknown as Task
const before = { id: runId(7), claimedAtMs: 10, exitedAtMs: 20, outcome: 'blocked', call: null, stop: null }
const compose = (run: object, comments: readonly { atMs: number; by: string; text: string }[] = [], heard = '') =>
  composeContinuation({
    ...{ task, attempt: 2, comments },
    before: { ...before, ...run } as Run,
    wasHeard: (text) => heard.includes(text),
  })

describe('what an attempt is told that goes on with a conversation', () => {
  test('a remark that came too late for the one before, and none that it knew or wrote itself', () => {
    const said = [
      { atMs: 9, by: 'ana', text: 'in its prompt' },
      { atMs: 12, by: 'ana', text: 'told in time' },
      { atMs: 19, by: 'R7', text: 'its own' },
      { atMs: 19, by: 'ana', text: 'too late' },
      { atMs: 25, by: 'ana', text: 'the answer' },
    ]
    const text = compose({ reason: 'Redis?' }, said, '```text\ntold in time\n```')
    expect(text).toMatch(/too late.*the answer/s)
    expect(text).not.toMatch(/in its prompt|told in time|its own/)
  })

  test('its question, also where it could only ask by its report', () => {
    const asked = /had asked:\n\n```text\nRedis\?\n```/
    expect(compose({ call: { kind: 'block', text: 'Redis?' }, reason: 'it is blocked' })).toMatch(asked)
    expect(compose({ reason: 'Redis?' })).toMatch(asked)
  })

  test('why it was stopped', () => {
    expect(compose({ outcome: 'stopped', reason: 'stop', stop: { text: 'use files' } })).toMatch(
      /told why:\n\n```text\nuse files/,
    )
  })
})
