import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import { mostReportBytes, type RunReport, readReport, writeReport } from '../../src/runs/index.ts'
import { makeFolder } from './run-folder.ts'

const own = { run: runId(12), fence: 3 }
const error: NonNullable<RunReport['error']> = {
  class: 'failed',
  reason: 'unknown',
  provider: 'openai',
  status: 200,
  code: 'never_heard_of',
  type: null,
  param: null,
  message: 'gremlins',
  requestId: 'req_1',
  retryAfterMs: null,
  resetAt: null,
  phase: 'stream',
  attempt: 2,
  statedWindowTokens: null,
  rawSha256: 'ab'.repeat(32),
  rawHead: '{"error":{"code":"never_heard_of"}}',
}
const least = { schema: 1, ...own, status: 'failed' } as const

function reading(content: unknown) {
  const path = join(makeFolder(), 'report.json')
  writeFileSync(path, JSON.stringify(content))
  return readReport(path, own)
}

describe("a provider's last refusal in the report", () => {
  test('is read as it was written', () => {
    expect(reading({ ...least, error })).toMatchObject({ kind: 'report', report: { error } })
  })

  test.each([
    ['a word instead of fields', 'rate_limit', undefined],
    ['nothing', null, undefined],
    ['fields without a class', { reason: 'x' }, undefined],
    [
      'odd fields',
      { ...error, status: 'two hundred', code: { a: 1 }, odd: [] },
      { ...error, status: null, code: null },
    ],
    ['an endless text', { ...error, rawHead: 'x'.repeat(9_000) }, { ...error, rawHead: 'x'.repeat(4_096) }],
  ])('never makes a report unusable: %s', (_, said, expected) => {
    const read = reading({ ...least, error: said })

    expect(read.kind).toBe('report')
    expect(read.kind === 'report' ? read.report.error : 'no report').toEqual(expected)
  })

  test('is left out where the report would be too large with it', () => {
    const path = join(makeFolder(), 'report.json')
    const data = 'x'.repeat(mostReportBytes - 1_000)

    writeReport(path, { ...readable(reading(least)), data, error: { ...error, rawHead: 'y'.repeat(2_048) } })

    const read = readable(readReport(path, own))
    expect(read.error).toBeUndefined()
    expect(read.data).toBe(data)
  })
})

function readable(read: ReturnType<typeof readReport>): RunReport {
  if (read.kind !== 'report') throw new Error(JSON.stringify(read))
  return read.report
}
