import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { StageView } from '../../../src/api/contract/index.ts'
import { buildReport, renderMarkdown, reportJson } from '../../../src/cli/report/index.ts'
import { renderJUnit, verdictOf } from '../../../src/cli/report/render-junit.ts'
import { closingLines } from '../../../src/cli/run/closing-lines.ts'
import { aChange, nowMs } from '../a-view.ts'
import { aBatch, aReport, aRow, done, usage } from './a-report.ts'

const at = (minutesAgo: number) => new Date(nowMs - minutesAgo * 60_000).toISOString()

const aCheck = (given: Partial<StageView>): StageView => ({
  kind: 'check',
  command: 'npm test',
  exit_code: 1,
  signal: null,
  reason: 'exit code 1',
  started_at: at(3),
  ended_at: at(2),
  output_tail: 'src/legacy/x.ts(3,1): error TS2345\n1 error',
  ...given,
})

/** A refactoring over files: checked, checked in the second attempt, unchecked, unchanged, failed by its check, a command. */
function aRefactoring() {
  const prompt = { kind: 'prompt', lane: 'codex' } as const
  const change = (branch: string) => aChange({ branch: `yard/${branch}`, head_commit: branch.padEnd(40, '0') })
  return aReport(
    [
      aRow({ ...prompt, id: 1, key: 'file[src/cart.ts]', status: 'done' }, [
        { ...done, checked: true, usage, change: change('t1'), stages: [aCheck({ exit_code: 0, output_tail: 'ok' })] },
      ]),
      aRow({ ...prompt, id: 2, key: 'file[src/b.ts]', status: 'done' }, [
        { outcome: 'check_failed', exit_code: 0, change: change('t2'), stages: [aCheck({})] },
        {
          ...done,
          checked: true,
          change: aChange({ branch: 'yard/t2', file_count: 3, insertions: 41, deletions: 12 }),
        },
      ]),
      aRow({ ...prompt, id: 3, key: 'notes', status: 'done' }, [{ ...done, change: change('t3') }]),
      aRow({ ...prompt, id: 4, key: 'file[src/c.ts]', status: 'done' }, [
        { ...done, checked: true, change: aChange({ branch: 'yard/t4', patch_bytes: null, file_count: 0 }) },
      ]),
      aRow({ ...prompt, id: 5, key: 'file[src/legacy/x.ts]', status: 'failed' }, [
        {
          outcome: 'check_failed',
          exit_code: 0,
          reason: 'its check failed: exit code 1',
          output_tail: 'I am done, all fine',
          change: change('t5'),
          stages: [aCheck({})],
        },
      ]),
      aRow({ id: 6, key: 'build', status: 'done' }, [done]),
    ],
    { batch: aBatch({ name: 'date fns', verdict: { exit_code: 3, text: '5 done · 1 failed' } }) },
  )
}

describe('the report of a batch that changed code', () => {
  test('line by line: what was checked, what changed nothing, what to merge, each branch with its size', async () => {
    await expect(renderMarkdown(buildReport(aRefactoring()))).toMatchFileSnapshot('golden/refactoring.md.txt')
  })

  test('a check that failed is the cause, in its own words, not in those of the agent', () => {
    const { causes, rows } = buildReport(aRefactoring())
    expect(causes).toMatchObject([{ code: 'check_failed', says: 'src/legacy/x.ts(3,1): error TS2345', tasks: [5] }])
    expect(rows[4]).toMatchObject({ words: 'failed', code: 'check_failed', lastLine: '1 error' })
  })

  test('a rule that was broken is the cause where no check ran', () => {
    const reason = 'changed what may_change does not allow: package.json'
    const row = aRow({ id: 1, key: 'a', kind: 'prompt', status: 'failed' }, [
      { outcome: 'check_failed', exit_code: 0, reason, output_tail: 'all fine' },
    ])
    expect(buildReport(aReport([row])).causes).toMatchObject([{ says: reason }])
  })

  test('counts each done task once', () => {
    expect(buildReport(aRefactoring()).counts).toMatchObject({
      done: 5,
      doneChecked: 2,
      doneUnchecked: 1,
      doneCommands: 1,
      changedNothing: 1,
      failed: 1,
    })
  })

  test('nothing is to be merged while it works, nor where nothing was checked', () => {
    const view = aRefactoring()
    const goesOn = { ...view, batch: { ...view.batch, verdict: null, ended_at: null } }
    expect(buildReport(goesOn).doNow).toEqual([])
    expect(buildReport({ ...view, tasks: view.tasks.slice(2) }).doNow).toEqual([])
  })

  test('a task whose next attempt is under way keeps the patch of the one before', () => {
    const row = aRow({ id: 2, key: 'b', kind: 'prompt', status: 'running' }, [
      { outcome: 'check_failed', exit_code: 0, change: aChange(), stages: [aCheck({})] },
      {},
    ])
    expect(buildReport(aReport([row])).patches).toMatchObject([
      { file: 'patches/T2-b.patch', header: { run: 20, outcome: 'check_failed', checked: false } },
    ])
  })

  test('what was put to review is done once it was approved, by a person or by an attempt of a reviewer', () => {
    const author = { outcome: 'review', exit_code: 0, checked: true, change: aChange() } as const
    const reviewer = { ...done, review: true, checked: true } as const
    const of = (status: string, runs: Parameters<typeof aRow>[1]) =>
      buildReport(aReport([aRow({ id: 2, key: 'b', kind: 'prompt', status }, runs)], { batch: aBatch({}) }))
    for (const runs of [[author], [author, reviewer]]) {
      const { patches, counts, doNow } = of('done', runs)
      expect(patches).toMatchObject([{ header: { run: 20, outcome: 'done', checked: true } }])
      expect(counts).toMatchObject({ doneChecked: 1, doneUnchecked: 0 })
      expect(doNow).toMatchObject([{ says: 'merge 1 checked branch' }])
    }
    expect(of('review', [author]).patches).toMatchObject([{ header: { outcome: 'review', checked: true } }])
  })

  test('report.json names each patch with its file, branch, commits and size', () => {
    const { patches, counts } = reportJson(aRefactoring())
    expect(patches.map(({ file, checked, outcome }) => [file, checked, outcome])).toEqual([
      ['patches/T1-file-src-cart-ts.patch', true, 'done'],
      ['patches/T2-file-src-b-ts.patch', true, 'done'],
      ['patches/T3-notes.patch', false, 'done'],
      ['patches/T5-file-src-legacy-x-ts.patch', false, 'check_failed'],
    ])
    expect(patches[1]).toEqual({
      file: 'patches/T2-file-src-b-ts.patch',
      task: 2,
      run: 21,
      key: 'file[src/b.ts]',
      outcome: 'done',
      checked: true,
      repo: '/home/anna/code/shop',
      branch: 'yard/t2',
      base_ref: 'main',
      base_commit: 'a'.repeat(40),
      head_commit: 'b'.repeat(40),
      files: 3,
      insertions: 41,
      deletions: 12,
      bytes: 400,
    })
    expect(counts).toMatchObject({ done: 5, done_checked: 2, changed_nothing: 1, done_unchecked: 1, done_commands: 1 })
  })

  test('junit.xml has branch, commit, attempts and check as properties, and the tail of the check as the text', () => {
    const xml = renderJUnit({ view: aRefactoring(), files: new Map() })
    expect(xml).toMatch(/<property name="attempts" value="2"\/>\s*<property name="checked" value="true"\/>/)
    expect(xml).toContain('<property name="branch" value="yard/t2"/>')
    expect(xml).toContain(`<property name="commit" value="${'b'.repeat(40)}"/>`)
    expect(xml).toMatch(
      /<failure message="[^"]*" type="check_failed">src\/legacy\/x\.ts\(3,1\): error TS2345\n1 error</,
    )
    expect(xml).not.toContain('I am done, all fine')
  })

  test('a check that could not run is an error, one that failed a failure', () => {
    for (const end of ['failed', 'needs_you'] as const) {
      const of = (code: string) => verdictOf({ end, code }, { hold: { code, text: '', by: null } })
      expect([of('check_failed'), of('check_error')]).toEqual(['failure', 'error'])
    }
  })

  const closing = (width: number) =>
    closingLines({
      report: buildReport(aRefactoring()),
      reportDir: '/w/out',
      privateHome: undefined,
      cwd: '/w',
      width,
      paint: picocolors.createColors(false),
    })

  test('the last lines stay inside a narrow terminal, but never cut a command that is to be typed', () => {
    const command = 'yardmaster apply B7 --checked --onto date-fns/2026-11-29'
    expect([80, 60, 40].map((width) => closing(width)[2])).toEqual([
      `  ${command}   merge 2 checked br…`,
      `  ${command}`,
      `  ${command}`,
    ])
  })

  test('the last lines say what came of it and where the patches are', () => {
    expect(closing(1_000)).toEqual([
      'B7 date fns: 1 failed of 6, exit 3',
      '  E1 1 × [check_failed] src/legacy/x.ts(3,1): error TS2345',
      '  yardmaster apply B7 --checked --onto date-fns/2026-11-29   merge 2 checked branches',
      '  done 4 (2 checked · 1 command · 1 prompt, unchecked) · 1 changed nothing',
      '  1 prompt is done, unchecked: look at what they did',
      'Report: out/report.md out/junit.xml out/patches/ (4)',
    ])
  })
})
