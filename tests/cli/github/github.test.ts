import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { planAnnotations } from '../../../src/cli/github/annotations.ts'
import { fitSections } from '../../../src/cli/github/fit-sections.ts'
import { readGithubRunner } from '../../../src/cli/github/github-runner.ts'
import { renderStepSummary } from '../../../src/cli/github/step-summary.ts'
import { mostSummaryBytes, pathInCheckout, tellGithub } from '../../../src/cli/github/tell-github.ts'
import { annotationLine } from '../../../src/cli/github/workflow-command.ts'
import { buildReport } from '../../../src/cli/report/index.ts'
import { aNight, aReport, aRow } from '../report/a-report.ts'

const noFile = () => undefined

describe('recognising GitHub', () => {
  test('by what its runner sets, and by nothing else', () => {
    expect(readGithubRunner({ CI: 'true' })).toBeUndefined()
    expect(readGithubRunner({ CI: 'true', GITLAB_CI: 'true' })).toBeUndefined()
    expect(readGithubRunner({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/s', GITHUB_WORKSPACE: '/w' })).toEqual({
      summaryFile: '/s',
      workspace: '/w',
    })
  })
})

describe('annotations', () => {
  test('of a bad night: one for each cause, largest first, then what needs a person, then what waits', () => {
    const view = aNight()
    const lines = planAnnotations({ view, report: buildReport(view), fileOf: noFile }).map(annotationLine)
    expect(lines).toEqual([
      '::error title=E1 2 tasks failed::npm ERR! 404 @acme/ui@3.1.0%0AT4 T5. Look closer: yardmaster show T4',
      '::error title=E2 1 task failed::cart.test: expected 200, got 401%0AT3. Look closer: yardmaster show T3',
      '::error title=E3 1 task timed_out::timed out after 2h%0AT6. Look closer: yardmaster show T6',
      '::error title=E4 1 task killed::killed from outside by SIGKILL, possibly out of memory%0AT7. Look closer: yardmaster show T7',
      '::warning title=T8 closed needs you::said 5 times to try later%0Ayardmaster retry T8',
      '::warning title=T9 stopped needs you::wait for Bob%0Ayardmaster unblock T9',
      expect.stringMatching(/^::warning title=T12 ideas\[tests\] needs you%2C and 1 more::/),
      expect.stringMatching(/^::warning title=1 task not finished::T11 /),
      expect.stringMatching(/^::warning title=2 tasks not finished::T12 /),
    ])
  })

  test('name the file of the row, where its matrix has one', () => {
    const row = aRow({ id: 1, key: 'lint[a,b:c.ts]', status: 'failed' }, [
      { outcome: 'failed', output_tail: '100% wrong' },
    ])
    const view = aReport([row])
    const [one] = planAnnotations({ view, report: buildReport(view), fileOf: () => 'src/a,b:c.ts' })
    expect(one && annotationLine(one)).toMatch(
      /^::error file=src\/a%2Cb%3Ac\.ts,title=E1 1 task failed::100%25 wrong%0A/,
    )
  })

  test('are at most ten, and the last says how many more there are', () => {
    const rows = Array.from({ length: 30 }, (_, n) =>
      aRow({ id: n + 1, key: `k${n}`, status: 'failed' }, [
        { outcome: 'failed', output_tail: `error ${'x'.repeat(n)}` },
      ]),
    )
    const view = aReport(rows)
    const all = planAnnotations({ view, report: buildReport(view), fileOf: noFile })
    expect(all).toHaveLength(10)
    expect(all.at(-1)?.title).toBe('and 21 more')
  })
})

test('a file is named below the checkout, or not at all', () => {
  const at = { dir: '/w/batches', workspace: '/w' }
  expect(pathInCheckout('../src/a.ts', at)).toBe('src/a.ts')
  expect(pathInCheckout('/w/src/a.ts', at)).toBe('src/a.ts')
  expect(pathInCheckout('..hidden', at)).toBe('batches/..hidden')
  for (const outside of ['../../x', '/etc/passwd', '..', undefined]) expect(pathInCheckout(outside, at)).toBeUndefined()
})

describe('the summary of a step', () => {
  test('says what went wrong first and keeps what ended well for the end', () => {
    const view = aNight()
    const text = renderStepSummary({ view, report: buildReport(view), roomBytes: 1e6 }) ?? ''
    expect(text).toMatch(/^# B7 night: 5 failed, 2 need you/)
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual(['Do these now', 'Failed, by cause', 'How they ended', 'Not finished', 'Every task'])
    const order = [...text.matchAll(/^\| (T\d+) \|/gm)].map(([, task]) => task)
    expect(order).toEqual('T3 T4 T5 T6 T7 T8 T9 T11 T12 T13 T10 T2 T1'.split(' '))
    expect(text).toContain('E2, T3:\n\n```text\ncart.test: expected 200, got 401\nTests: 1 failed\n```')
  })

  test('leaves out whole rows from the end, and says how many', () => {
    const rows = Array.from({ length: 50 }, (_, n) => [`T${n}`, 'x'.repeat(80)])
    const table = { kind: 'table', head: ['task', 'why'], rows } as const
    const text = fitSections({ start: '# head', sections: [{ heading: 'Every task', blocks: [table] }] }, 2_000) ?? ''
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_000)
    const shown = text.split('\n').filter((line) => line.startsWith('| T')).length
    expect(shown).toBeGreaterThan(10)
    expect(text).toContain(`\n\n**Cut here**: ${50 - shown} more entries. The whole report is report.md.\n`)
    expect(text.split('\n').every((line) => !line.startsWith('|') || line.endsWith('|'))).toBe(true)
  })

  test('a heading never stands alone, nor the head of a table', () => {
    const table = { kind: 'table', head: ['a'], rows: [['x'.repeat(500)]] } as const
    const text = fitSections({ start: '# head', sections: [{ heading: 'Rows', blocks: [table] }] }, 600)
    expect(text).toBe('# head\n\n**Cut here**: 1 more entry. The whole report is report.md.\n')
    expect(fitSections({ start: 'x'.repeat(600), sections: [] }, 600)).toBeUndefined()
  })
})

describe('whatever tasks hold', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('```\n::error::x', '| a | b |\n', '%0A::x', '\n\n# ', '##[group]', '````text'),
  )
  const arbitraryRow = fc.record({
    key: texts,
    tail: texts,
    times: fc.integer({ min: 1, max: 100 }),
    status: fc.constantFrom('failed', 'blocked', 'done', 'todo'),
  })

  test('the summary stays within its room with its fences closed, and there are at most ten annotations of one line', () => {
    fc.assert(
      fc.property(
        fc.array(arbitraryRow, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 12_000 }),
        (given, roomBytes) => {
          const view = aReport(
            given.map(({ key, tail, times, status }, index) =>
              aRow({ id: index + 1, key, status }, [
                {
                  outcome: status === 'done' ? 'done' : 'failed',
                  reason: tail,
                  output_tail: tail.repeat(times).slice(0, 2_000),
                },
              ]),
            ),
          )
          const report = buildReport(view)
          const text = renderStepSummary({ view, report, roomBytes })
          if (text !== undefined) {
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(roomBytes)
            expect(isFenced(text)).toBe('all closed')
          }
          const lines = planAnnotations({ view, report, fileOf: (key) => key }).map(annotationLine)
          expect(lines.length).toBeLessThanOrEqual(10)
          for (const line of lines) expect(line).toMatch(/^::(error|warning) [^\r\n]*$/)
        },
      ),
    )
  })

  /** Reads fences as CommonMark does: one ends at a line of at least as many backticks and nothing else. */
  function isFenced(text: string): 'all closed' | 'open' {
    let open = 0
    for (const line of text.split('\n')) {
      const ticks = /^(`{3,})(text)?$/.exec(line)
      if (ticks === null) continue
      const length = ticks[1]?.length ?? 0
      if (open === 0) open = length
      else if (length >= open && ticks[2] === undefined) open = 0
    }
    return open === 0 ? 'all closed' : 'open'
  }
})

describe('telling the runner', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'yard-github-'))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  function tell(summaryFile: string) {
    const said = { err: '', commands: '' }
    const output = (name: keyof typeof said) => ({
      write: (text: string) => {
        said[name] += text
      },
      isTerminal: false,
      width: () => 1_000,
      height: () => 40,
      closed: new AbortController().signal,
    })
    tellGithub(
      { runner: { summaryFile, workspace: dir }, err: output('err'), commands: output('commands') },
      { view: aNight(), report: buildReport(aNight()), files: new Map(), dir },
    )
    return said
  }

  test('what the step wrote before stays, and counts', () => {
    const file = join(dir, 'summary')
    writeFileSync(file, '# Tests\nall fine')
    expect(tell(file).err).toBe('')
    expect(readFileSync(file, 'utf8')).toMatch(/^# Tests\nall fine\n\n# B7 night: 5 failed/)

    appendFileSync(file, 'x'.repeat(mostSummaryBytes - Buffer.byteLength(readFileSync(file)) - 1_200))
    expect(tell(file).err).toBe('')
    const text = readFileSync(file)
    expect(text.length).toBeLessThanOrEqual(mostSummaryBytes)
    expect(String(text)).toMatch(/\*\*Cut here\*\*: \d+ more entries\. The whole report is report\.md\.\n$/)
    expect(tell(file).err).toBe('No room is left in the summary of this step; the report is in its files.\n')
    expect(readFileSync(file).equals(text)).toBe(true)
  })

  test('a summary that cannot be written is a remark, and the annotations come all the same', () => {
    const { err, commands } = tell(join(dir, 'gone', 'summary'))
    expect(err).toMatch(/^The summary of this step could not be written: /)
    expect(commands.split('\n').filter((line) => line.startsWith('::'))).toHaveLength(9)
  })
})
