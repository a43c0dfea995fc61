import { describe, expect, test } from 'vitest'
import { buildReport, renderMarkdown, reportJson } from '../../../src/cli/report/index.ts'
import { sinceView } from '../../../src/cli/report/since-view.ts'
import { nowMs } from '../a-view.ts'
import { aBatch, aNight, aReport, aRow, done, usage } from './a-report.ts'

describe('report.md', () => {
  test('of a bad night, line by line', async () => {
    await expect(renderMarkdown(buildReport(aNight()))).toMatchFileSnapshot('golden/bad-night.md.txt')
  })

  test('of a good one', async () => {
    const view = aReport([aRow({ id: 1, key: 'build', status: 'done' }, [done])], {
      batch: aBatch({ verdict: { exit_code: 0, text: '1 done' } }),
    })
    await expect(renderMarkdown(buildReport(view))).toMatchFileSnapshot('golden/good-night.md.txt')
  })

  test('of a batch that still works says so and gives no verdict', () => {
    const view = aReport(
      [
        aRow({ id: 1, key: 'a', status: 'running' }, [{}]),
        aRow({ id: 2, key: 'b', status: 'failed' }, [{ outcome: 'failed' }]),
      ],
      { batch: aBatch({ verdict: null, ended_at: null }) },
    )
    const text = renderMarkdown(buildReport(view))
    expect(text).toMatch(/^# B7 night is not over: 1 of 2 ended, 1 failed, 1 running\n/)
    expect(text).toContain('As of 2026-11-29 13:22 UTC')
    expect(text).not.toContain('exit')
  })

  test('nothing that a task printed or is called is read as Markdown or HTML', () => {
    const nasty = '<script>alert(1)</script> | `code` **bold** [x](http://y)'
    const view = aReport([
      aRow({ id: 1, key: nasty, status: 'failed' }, [{ outcome: 'failed', reason: nasty, output_tail: nasty }]),
    ])
    const row = renderMarkdown(buildReport(view))
      .split('\n')
      .find((line) => line.startsWith('| T1'))
    // Taken away: code spans and escaped bars. What is left must be ours.
    expect(
      row
        ?.replace(/(`+)(?!`).*?[^`]\1(?!`)/g, '')
        .replaceAll('\\|', '')
        .replace('failed [failed]', ''),
    ).not.toMatch(/[<[*]/)
  })

  test('escape codes and line breaks of a task cannot reach the terminal', () => {
    const view = aReport([
      aRow({ id: 1, key: 'a', status: 'failed' }, [{ outcome: 'failed', output_tail: 'x\u001b[2Jy\u202ez' }]),
    ])
    const text = renderMarkdown(buildReport(view))
    for (const one of ['\u001b', '\u202e']) expect(text).not.toContain(one)
  })
})

test('of a done row whose report was not used the reason says so, and of any other nothing', () => {
  const reason = 'exit code 0. Its report was not used: it must have required properties run'
  const view = aReport([
    aRow({ id: 1, key: 'a', status: 'done' }, [{ ...done, reason }]),
    aRow({ id: 2, key: 'b', status: 'done' }, [{ ...done, reason: 'exit code 0' }]),
  ])
  const whys = buildReport(view).rows.map(({ why }) => why)
  expect(whys).toEqual(['Its report was not used: it must have required properties run', ''])
})

test('a batch that nobody works says how it goes on; one that a hub works does not', () => {
  const waiting = (code: string) => {
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    const why = { task: 1, code, says: 'T1 does not run: so', since: null, until: null, then: null, you_can: [] }
    const row = aRow({ id: 1, key: 'a', status: 'ready' }, [], { why })
    return renderMarkdown(buildReport(aReport([row], { batch: aBatch({ verdict: null, ended_at: null }) })))
  }
  expect(waiting('no_hub')).toContain('Go on with them: `yardmaster up -d`')
  expect(waiting('next')).not.toContain('Go on with them')
})

describe('the headline tells failures first', () => {
  const headline = (rows: Parameters<typeof aReport>[0], batch: Parameters<typeof aBatch>[0] = {}) =>
    buildReport(aReport(rows, { batch: aBatch(batch) })).headline
  const rows = [
    aRow({ id: 1, key: 'a', status: 'done' }, [done]),
    aRow({ id: 2, key: 'b', status: 'failed' }, [{ outcome: 'failed' }]),
  ]

  test.each([
    ['all done', [rows[0]], { verdict: { exit_code: 0, text: '' } }, 'B7 night: all done, exit 0'],
    ['one of two failed', rows, {}, 'B7 night: 1 failed of 2, exit 3'],
    [
      'stopped by its time',
      [rows[0], aRow({ id: 3, key: 'c', status: 'ready' })],
      { verdict: { exit_code: 9, text: '' }, cut: { by: 'time', text: 'its time is over' } },
      'B7 night: its time is over; 1 not finished of 2, exit 9',
    ],
  ])('%s', (_what, given, batch, expected) => {
    expect(headline(given as typeof rows, batch)).toBe(expected)
  })
})

describe('done, unchecked', () => {
  test('is counted apart from commands, whose exit code is their check', () => {
    const { counts, rows } = buildReport(aNight())
    expect(counts).toMatchObject({ done: 2, doneCommands: 1, doneUnchecked: 1 })
    expect(rows.filter(({ end }) => end === 'done').map(({ words }) => words)).toEqual(['done', 'done, unchecked'])
  })
})

describe('tokens', () => {
  test('that nobody reported are unknown, never 0', () => {
    const { rows, tokens } = buildReport(aReport([aRow({ id: 1, key: 'a', kind: 'prompt', status: 'done' }, [done])]))
    expect(rows[0]?.tokens).toBeNull()
    expect(tokens).toBeNull()
    expect(
      renderMarkdown(buildReport(aReport([aRow({ id: 1, key: 'a', kind: 'prompt', status: 'done' }, [done])]))),
    ).toContain('unknown')
  })
})

describe('cost', () => {
  const asked = (given: { readonly cost_usd?: number }) => ({ ...done, usage, ...given })
  const reportOf = (...runs: ReturnType<typeof asked>[]) =>
    aReport([aRow({ id: 1, key: 'a', kind: 'prompt', status: 'done' }, runs)])

  test('of all attempts is told, and of how many it is not known', () => {
    const report = buildReport(reportOf(asked({ cost_usd: 51.2 }), asked({ cost_usd: 0.004 }), asked({})))

    expect(report.cost).toEqual({ usd: 51.204, unknownOf: 1 })
    expect(renderMarkdown(report)).toContain('Cost: $51.20, and what 1 attempt cost is not known.')
    expect(reportJson(reportOf(asked({ cost_usd: 1 }))).cost).toEqual({ usd: 1, unknown_of: 0 })
  })

  test('of attempts that ended in nothing is told beside their time', () => {
    const failed = { ...asked({ cost_usd: 6.1 }), outcome: 'failed' as const, exit_code: 1 }
    const report = buildReport(aReport([aRow({ id: 1, key: 'a', kind: 'prompt', status: 'failed' }, [failed])]))
    expect(renderMarkdown(report)).toMatch(/1 attempt ended in nothing: .*, 12,345 tokens, \$6\.10\./)
  })

  test('that nobody knows is not told, and never $0', () => {
    expect(buildReport(reportOf(asked({}))).cost).toBeNull()
    expect(renderMarkdown(buildReport(reportOf(asked({}))))).not.toContain('Cost')
  })
})

describe('report.json', () => {
  test('holds the verdict, the counts, the groups and the API rows', () => {
    const json = reportJson(aNight())
    expect(json).toMatchObject({
      schema: 1,
      exit_code: 3,
      counts: { total: 13, done: 2, done_unchecked: 1, failed: 5, needs_you: 2, cancelled: 1, not_finished: 3 },
      waste: { attempts: 8 },
    })
    expect(json.tasks).toEqual(aNight().tasks)
    expect(JSON.parse(JSON.stringify(json))).toEqual(json)
  })
})

test('since a time only what changed after it is listed', () => {
  const old = new Date(nowMs - 10 * 3_600_000).toISOString()
  const view = aReport([
    aRow({ id: 1, key: 'old', status: 'done', changed_at: old, settled_at: old }, [done]),
    aRow({ id: 2, key: 'new', status: 'done', settled_at: new Date(nowMs).toISOString() }, [done]),
  ])
  expect(sinceView(view, nowMs - 3_600_000).tasks.map(({ key }) => key)).toEqual(['new'])
})
