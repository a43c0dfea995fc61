import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { TranscriptLine } from '../../../src/worker/record/transcript.ts'

/** A folder of this test, gone at its end. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'yardmaster-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const sent = { bytes: 900, messages: 2, prefixSha256: '', messagesSha256: '' }

/** Two turns of a worker that reads a file, meets a wall on the way, and answers. */
export const lines = [
  { kind: 'start', schema: 1, at: '2026-11-30T08:00:00.000Z', run: 981, model: 'm', tools: ['terminal', 'read'] },
  { kind: 'message', turn: 0, message: { role: 'system', text: 'You work.' } },
  { kind: 'message', turn: 0, message: { role: 'user', text: 'Read a.txt' } },
  { kind: 'fault', turn: 1, says: 'rate_limit: slow down', waitMs: 2_000 },
  {
    kind: 'call',
    turn: 1,
    model: 'm',
    tookMs: 1_500,
    finish: 'tool_calls',
    usage: { inputTokens: 100, cachedTokens: 20, outputTokens: 10 },
    costUsd: 0.02,
    sent,
  },
  {
    kind: 'message',
    turn: 1,
    message: {
      role: 'assistant',
      text: 'I look at it.',
      toolCalls: [{ id: 'c1', name: 'read', argumentsText: '{"path":"a.txt"}' }],
    },
  },
  { kind: 'message', turn: 1, message: { role: 'tool', callId: 'c1', text: 'hello' } },
  { kind: 'note', turn: 2, says: 'told that 80 % of its turns are used' },
  { kind: 'call', turn: 2, model: 'm', tookMs: 400, finish: 'stop', usage: null, costUsd: null, sent },
  { kind: 'message', turn: 2, message: { role: 'assistant', text: 'It says hello.', toolCalls: [] } },
  { kind: 'end', at: '2026-11-30T08:00:05.000Z', code: 0, status: 'completed', reason: null },
] as const satisfies readonly TranscriptLine[]

export const asText = (written: readonly unknown[]): string =>
  written.map((line) => `${JSON.stringify(line)}\n`).join('')
