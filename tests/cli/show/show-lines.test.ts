import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import type { BatchView } from '../../../src/api/contract/index.ts'
import { batchLines } from '../../../src/cli/show/batch-lines.ts'
import { runLines, type ShowLook } from '../../../src/cli/show/run-lines.ts'
import { taskLines } from '../../../src/cli/show/task-lines.ts'
import { whyGroups, whyLines } from '../../../src/cli/show/why-lines.ts'
import { aChange, aDetail, aRun, nowMs } from '../a-view.ts'

const look: ShowLook = { width: 110, nowMs, paint: picocolors.createColors(false) }
const settings = [{ field: 'workspace', value: 'here', from: 'built in' as const }]
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`
const minutesAgo = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString()

const tail = Array.from({ length: 20 }, (_, n) => `line ${n + 1} of the end`).join('\n')

describe('show', () => {
  test('C49: a failed task shows its exit code, the last 20 lines of its log and where the log is', async () => {
    const failed = aRun({ id: 9, attempt: 1, outcome: 'failed', exit_code: 1, reason: 'exit 1', output_tail: tail })
    const task = aDetail({
      id: 3,
      status: 'failed',
      failures: 2,
      hold: { code: 'failed', text: 'failed 2 of 2 times. Last: exit 1', by: null },
      all_runs: [failed, aRun({ ...failed, id: 12, attempt: 2, reason: 'expected 200, got 401' })],
    })
    const shown = text(taskLines({ task, settings }, look))
    expect(shown).toContain('failed, exit 1')
    for (const line of tail.split('\n')) expect(shown).toContain(`| ${line}`)
    expect(shown).toContain('/runs/0/R12/output.log (yardmaster log R12)')
    await expect(shown).toMatchFileSnapshot('../golden/show-failed.txt')
  })

  test('a remark of many pages is cut, so that what to type next stays in sight', () => {
    const comments = [{ at: minutesAgo(5), by: 'R7', text: 'much to say '.repeat(5_000) }]
    const line = taskLines({ task: aDetail({ id: 5, status: 'done', comments }), settings }, look).find((one) =>
      one.includes('much to say'),
    )
    expect(line?.length).toBeLessThan(600)
    expect(line).toMatch(/…"$/)
  })

  test('a done task shows what its agent said', async () => {
    const task = aDetail({
      id: 5,
      status: 'done',
      title: 'fix flaky login test',
      prompt: 'fix flaky login test\n\nIt fails one time in ten.',
      labels: ['night'],
      needs: [{ task: 4, title: 'update the fixtures', status: 'done', when: 'done' }],
      all_runs: [
        aRun({
          id: 12,
          outcome: 'done',
          exit_code: 0,
          reason: 'exit 0',
          result: 'The clock was not mocked; froze it in beforeEach.',
          usage: { input_tokens: 1200, cached_tokens: 800, output_tokens: 90, calls: 3 },
        }),
      ],
      comments: [{ at: minutesAgo(5), by: 'anna', text: 'also cover\nlogout' }],
    })
    await expect(text(taskLines({ task, settings }, look))).toMatchFileSnapshot('../golden/show-done.txt')
  })

  test('what an attempt has cost stands behind it; of one whose cost is not known nothing', () => {
    const all_runs = [
      aRun({ id: 9, attempt: 1, outcome: 'check_failed', exit_code: 0, cost_usd: 0.62 }),
      aRun({ id: 12, attempt: 2, outcome: 'done', exit_code: 0, cost_usd: 0.0044 }),
      aRun({ id: 13, attempt: 3, outcome: 'done', exit_code: 0, cost_usd: null }),
    ]

    expect(text(taskLines({ task: aDetail({ id: 5, all_runs }), settings }, look))).toMatch(
      /R9 check failed \[check_failed\] 7m \$0\.62 · R12 done 7m \$0\.004 · R13 done 7m {2}/,
    )
  })

  test('an attempt shows who answered, what it cost, and what went unusual in it', () => {
    const run = aRun({
      id: 12,
      outcome: 'done',
      usage: { input_tokens: 1200, cached_tokens: 800, output_tokens: 90, calls: 3 },
      model: 'gpt-x',
      cost_usd: 1234.5,
      counts: { replies: 9, tool_calls: 20, guard_same_call: 1, tool_recovered: 2, end_complete: 1 },
      compactions: 1,
    })

    const shown = text(runLines(run, look))
    expect(shown).toContain('90 out, 3 calls, gpt-x')
    expect(shown).toMatch(/cost +\$1,234\.50/)
    expect(shown).toMatch(/counted +guard same call 1 · tool recovered 2 · conversation made smaller 1\n/)
  })

  test('an attempt that a provider refused says who, how it was taken, and the number to ask about', () => {
    const refusal = { class: 'failed', reason: 'bad_request', provider: 'openrouter', status: 400, code: 'bad\nthing' }
    const failed = aRun({ id: 4, outcome: 'failed', refusal: { ...refusal, request_id: 'req_12345' } })
    const line = 'refused   by openrouter: bad_request [failed] · HTTP 400, bad thing · request req_12345\n'
    expect(text(runLines(failed, look))).toContain(line)
    expect(
      text(taskLines({ task: aDetail({ id: 5, status: 'failed', all_runs: [failed] }), settings }, look)),
    ).toContain(line)

    const bare = {
      class: 'transient',
      reason: 'unreachable',
      provider: null,
      status: null,
      code: null,
      request_id: null,
    }
    expect(text(runLines(aRun({ id: 5, outcome: 'tempfail', refusal: bare }), look))).toContain(
      'refused   unreachable [transient]\n',
    )
    expect(text(runLines(aRun({ id: 6, outcome: 'done', refusal: bare }), look))).toContain(
      'refused   unreachable [transient] · it went on all the same\n',
    )
  })

  describe('of a task that changed code', () => {
    const check = {
      kind: 'check',
      command: 'npm test',
      signal: null,
      started_at: minutesAgo(3),
      ended_at: new Date(nowMs - 3 * 60_000 + 38_000).toISOString(),
    } as const
    const failed = aRun({
      id: 9,
      attempt: 1,
      outcome: 'check_failed',
      exit_code: 0,
      reason: 'its check failed: exit code 1',
      change: aChange(),
      stages: [{ ...check, exit_code: 1, reason: 'exit code 1', output_tail: 'login.test\nexpected 200, got 401' }],
    })
    const change = aChange({
      branch: 'yard/t5-fix-flaky-login-test',
      base_commit: '4f1c2aa'.padEnd(40, '0'),
      commits: 2,
      file_count: 3,
      insertions: 41,
      deletions: 12,
      left_overs: true,
    })
    const passed = aRun({
      id: 12,
      attempt: 2,
      outcome: 'done',
      exit_code: 0,
      reason: 'exit 0',
      checked: true,
      result: 'The clock was not mocked; froze it in beforeEach.',
      change,
      stages: [{ ...check, exit_code: 0, reason: null, output_tail: 'ok' }],
    })

    test('says where the code is, how large it is, what the check made of it, and how it is taken', async () => {
      const task = aDetail({ id: 5, status: 'done', failures: 1, all_runs: [failed, passed] })
      await expect(text(taskLines({ task, settings }, look))).toMatchFileSnapshot('../golden/show-code.txt')
    })

    test('a failed check shows what it printed, and the log of that stage', () => {
      const task = aDetail({ id: 5, status: 'failed', all_runs: [failed] })
      const shown = text(taskLines({ task, settings }, look))
      expect(shown).toContain('check     npm test: exit 1 in 38s\n')
      expect(shown).toContain('| expected 200, got 401\n')
      expect(shown).toContain('yardmaster log R9 --stage check')
      expect(shown).toContain('next      yardmaster retry T5 · yardmaster diff T5 · yardmaster log T5')
    })

    test('a card whose check has not been run yet names it; one that was done without one does not', () => {
      const asked = [...settings, { field: 'check', value: ['npm', 'run', 'my test'], from: 'board' as const }]
      const lines = (status: string, all_runs = [aRun({ id: 9, outcome: 'failed' })]) =>
        text(taskLines({ task: aDetail({ id: 5, status, all_runs }), settings: asked }, look))
      expect(lines('ready', [])).toContain("check     npm run 'my test': not run yet\n")
      expect(lines('running')).toContain("check     npm run 'my test': not run yet\n")
      expect(lines('failed')).toContain("check     npm run 'my test': not run\n")
      expect(lines('failed', [failed])).toContain('check     npm test: exit 1 in 38s\n')
      expect(lines('failed', [failed])).not.toContain('my test')
      expect(lines('done')).not.toContain('my test')
    })

    test('a check that runs says since when; what broke a rule is named; nothing changed is no diff', () => {
      const running = aRun({
        id: 12,
        stages: [{ ...check, exit_code: null, reason: null, ended_at: null, output_tail: null }],
      })
      expect(text(runLines(running, look))).toContain('check     npm test: runs, for 3m')
      const outside = aRun({ id: 13, outcome: 'check_failed', change: aChange({ outside: ['package.json', 'a\nb'] }) })
      expect(text(runLines(outside, look))).toContain('outside of what it may change: package.json, a b\n')
      const nothing = aRun({ id: 14, outcome: 'done', change: aChange({ patch_bytes: null }) })
      const shown = text(taskLines({ task: aDetail({ id: 5, status: 'done', all_runs: [nothing] }), settings }, look))
      expect(shown).toContain('main · chat · done, unchecked, changed nothing\n')
      expect(shown).toContain('code      branch yard/t5-fix, nothing changed since main@aaaaaaa\n')
      expect(shown).not.toContain('yardmaster diff')
    })

    test('the branch of an address is in no repository of the person, so there is nothing to merge here', () => {
      const run = aRun({ id: 14, outcome: 'done', change: aChange({ repo: 'https://example.org/shop' }) })
      const shown = text(taskLines({ task: aDetail({ id: 5, status: 'done', all_runs: [run] }), settings }, look))
      expect(shown).toContain('yardmaster diff T5 · yardmaster retry T5')
    })
  })

  test('an attempt of which nobody can tell whether it lives is not said to run', () => {
    const task = aDetail({ id: 5, status: 'running', open_run: 12, all_runs: [aRun({ id: 12, held: true })] })
    const shown = text(taskLines({ task, settings }, look))
    expect(shown).toContain('held: it cannot be told whether it is still alive')
    expect(shown).not.toContain('it runs')
    expect(shown).toContain('yardmaster why T5')
  })

  test('a long question is shown whole, where the end says only its beginning', () => {
    const asked = `Which one?\n${'one more reason for each of them '.repeat(60)}end of it`
    const call = { kind: 'block', code: 'needs_input', text: asked, on_task: null, at: minutesAgo(5) } as const
    const run = aRun({ id: 12, outcome: 'blocked', reason: 'it asks: Which one? one more…', call })
    const hold = { code: 'needs_input', text: 'Which one? one more…', by: null }
    const shown = text(
      taskLines({ task: aDetail({ id: 5, status: 'blocked', hold, all_runs: [run] }), settings }, look),
    )
    for (const line of asked.split('\n')) expect(shown).toContain(line)
    const short = aRun({ id: 12, outcome: 'blocked', reason: 'it asks: Which?', call: { ...call, text: 'Which?' } })
    expect(text(runLines(short, look))).not.toContain('asks     ')
  })

  test('a title cannot move the cursor', () => {
    const task = aDetail({ id: 1, title: 'a\u001b[2J\u001b[H', prompt: 'x\u0007', comments: [] })
    const [head = '', ...more] = taskLines({ task, settings }, look)
    expect(head).toContain('a\\e[2J\\e[H')
    expect([head, ...more].join('')).not.toMatch(/\p{Cc}/u)
  })

  test('a command is shown as a shell would take it', () => {
    const task = aDetail({ id: 1, kind: 'run', prompt: null, run: ['echo', 'two words', "it's"] })
    expect(text(taskLines({ task, settings }, look))).toContain("echo 'two words' 'it'\\''s'")
  })

  test('a narrow terminal puts the standing below the title', () => {
    const [head, standing] = taskLines(
      { task: aDetail({ id: 5, title: 'a title of some length' }), settings },
      {
        ...look,
        width: 30,
      },
    )
    expect(head).toBe('T5 a title of some length')
    expect(standing).toBe('  main · chat · ready')
  })

  test('an attempt that was stopped names who stopped it and how', async () => {
    const run = aRun({
      id: 12,
      outcome: 'stopped',
      signal: 'SIGTERM',
      reason: 'stopped by anna',
      stop: { kind: 'stop', by: 'anna', text: 'wrong branch', at: minutesAgo(2), delivered: true },
      rung: 'TERM',
      output_tail: 'working…',
    })
    await expect(text(runLines(run, look))).toMatchFileSnapshot('../golden/show-run.txt')
  })

  test('a batch is shown in short', async () => {
    const batch: BatchView = {
      id: 7,
      board: 'main',
      name: 'night',
      key: null,
      file: '/home/anna/night.yaml',
      limits: { slots: 8, stop_at: new Date(nowMs + 3_600_000).toISOString(), halt: '20%', first: 3, on_wall: 'wait' },
      cut: null,
      verdict: null,
      counts: { total: 500, by_status: { done: 450, failed: 23, blocked: 6, ready: 21 }, archived: {} },
      created_by: 'anna',
      created_at: minutesAgo(90),
      ended_at: null,
    }
    await expect(text(batchLines(batch, look))).toMatchFileSnapshot('../golden/show-batch.txt')
  })
})

describe('why', () => {
  const held = {
    task: 6,
    code: 'account_held',
    says: 'T6 does not run: account claude is held until 14:00',
    since: minutesAgo(20),
    until: new Date(nowMs + 38 * 60_000).toISOString(),
    // biome-ignore lint/suspicious/noThenProperty: the public field name
    then: 'one probe; T6 is first',
    you_can: ['yardmaster edit T6 --lane chat', 'yardmaster resume --account claude'],
  }

  test('says the reason with its code, since when, what follows and what would change it', async () => {
    await expect(text(whyLines(held, look))).toMatchFileSnapshot('../golden/why.txt')
  })

  test('of a whole board puts the same reasons together', () => {
    const others = [7, 8, 9, 10, 11, 12].map((task) => ({ ...held, task, says: held.says.replace('T6', `T${task}`) }))
    const draft = { ...held, task: 20, code: 'draft', says: 'T20 does not run: it is a draft' }
    expect(whyGroups([held, ...others, draft], look)).toEqual([
      'T6 T7 T8 T9 T10 T11 and 1 more  account claude is held until 14:00  [account_held]',
      'T20  it is a draft  [draft]',
    ])
  })
})
