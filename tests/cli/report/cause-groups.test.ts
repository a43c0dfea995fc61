import { describe, expect, test } from 'vitest'
import { buildReport } from '../../../src/cli/report/index.ts'
import { aNight, aReport, aRow } from './a-report.ts'

const failed = (id: number, key: string, output_tail: string, more: object = {}) =>
  aRow({ id, key, status: 'failed' }, [
    { outcome: 'failed', exit_code: 1, reason: 'exit code 1', output_tail, ...more },
  ])
const groupsOf = (rows: Parameters<typeof aReport>[0]) =>
  buildReport(aReport(rows)).causes.map(({ id, tasks, says }) => [id, tasks, says])

describe('failures with one cause are one group', () => {
  test('largest first, named by the line that says why, with the suite they share', () => {
    expect(buildReport(aNight()).causes).toMatchObject([
      { id: 'E1', code: 'failed', says: 'npm ERR! 404 @acme/ui@3.1.0', tasks: [4, 5], suite: 'suite' },
      { id: 'E2', code: 'failed', tasks: [3] },
      { id: 'E3', code: 'timed_out', says: 'timed out after 2h', tasks: [6] },
      { id: 'E4', code: 'killed', tasks: [7] },
    ])
  })

  test.each([
    ['the value of their row', 'lint[src/a.ts]', 'src/a.ts: error TS2345', 'lint[src/b.ts]', 'src/b.ts: error TS2345'],
    ['times', 'a', '2026-11-29T12:00:01Z error: lost', 'b', '2026-11-29T13:30:59Z error: lost'],
    ['line numbers', 'a', 'x.ts:12:7 error', 'b', 'x.ts:99:1 error'],
    ['ids', 'a', 'error in 0xdeadbeef01', 'b', 'error in 0xfeedface02'],
    ['durations', 'a', 'failed after 1.2 s', 'b', 'failed after 3 s'],
    ['folders under /tmp', 'a', 'error: /tmp/x1/y missing', 'b', 'error: /tmp/z9/y missing'],
  ])('although they differ in %s', (_what, keyA, lineA, keyB, lineB) => {
    expect(groupsOf([failed(1, keyA, lineA), failed(2, keyB, lineB)])).toHaveLength(1)
  })

  test.each([
    ['expected 200, got 401', 'expected 200, got 500'],
    ['error TS2345', 'error TS2322'],
  ])('%j and %j are two causes', (a, b) => {
    expect(groupsOf([failed(1, 'a', a), failed(2, 'b', b)])).toHaveLength(2)
  })

  test('one that printed nothing is named by how it ended', () => {
    expect(groupsOf([failed(1, 'a', '')])).toEqual([['E1', [1], 'exit code 1']])
  })

  test('work that is not finished is named by what is missing, whatever it printed last', () => {
    const reason = 'nothing was changed (expect: change)'
    expect(groupsOf([failed(1, 'a', 'all is well', { outcome: 'incomplete', exit_code: 0, reason })])).toEqual([
      ['E1', [1], reason],
    ])
  })

  test('a line that only says that something failed does not hide the one that says what', () => {
    expect(groupsOf([failed(1, 'a', 'TypeError: x is undefined\nnpm error code 1\nmake: *** [all] Error 2')])).toEqual([
      ['E1', [1], 'TypeError: x is undefined'],
    ])
  })
})
