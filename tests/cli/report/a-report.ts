// biome-ignore-all lint/suspicious/noThenProperty: the public field name
import type { BatchReportView, BatchView, RunView, TaskView } from '../../../src/api/contract/index.ts'
import { aRun, aTask, nowMs } from '../a-view.ts'

const at = (minutesAgo: number): string => new Date(nowMs - minutesAgo * 60_000).toISOString()

export function aBatch(given: Partial<BatchView> = {}): BatchView {
  return {
    id: 7,
    board: 'main',
    name: 'night',
    key: null,
    file: '/home/anna/night.yaml',
    limits: { slots: 4, stop_at: null, halt: null, first: null, on_wall: 'wait' },
    cut: null,
    verdict: { exit_code: 3, text: '2 done · 3 failed' },
    counts: { total: 0, by_status: {}, archived: {} },
    created_by: 'anna',
    created_at: at(60),
    ended_at: at(1),
    ...given,
  }
}

type Row = BatchReportView['tasks'][number]

/** A row that ended as `status`, its attempts as given (each the task's last until the next). */
export function aRow(given: Partial<TaskView>, runs: readonly Partial<RunView>[] = [], more: Partial<Row> = {}): Row {
  const id = given.id ?? 1
  const all_runs = runs.map((run, index) => aRun({ id: id * 10 + index, task: id, attempt: index + 1, ...run }))
  const task = aTask({
    kind: 'run',
    lane: 'command',
    runs: all_runs.length,
    last_run: all_runs.at(-1) ?? null,
    ...given,
  })
  return { ...task, needs: [], all_runs, why: null, ...more }
}

export function aReport(tasks: readonly Row[], given: Partial<BatchReportView> = {}): BatchReportView {
  const by_status: Record<string, number> = {}
  for (const { status } of tasks) by_status[status] = (by_status[status] ?? 0) + 1
  return {
    accounts_held: [],
    yard: [],
    now: new Date(nowMs).toISOString(),
    ...given,
    batch: { ...aBatch(), ...given.batch, counts: { total: tasks.length, by_status, archived: {} } },
    tasks,
  }
}

export const done = { outcome: 'done', exit_code: 0 } as const
export const usage = { input_tokens: 12_000, cached_tokens: 4_000, output_tokens: 345, calls: 3 } as const

/** One of each way a row can stand in the morning. */
export function aNight(): BatchReportView {
  return aReport(
    [
      aRow({ id: 1, key: 'build', status: 'done' }, [{ ...done, output_tail: 'compiled\nok in 4 s' }]),
      aRow({ id: 2, key: 'ideas[names]', kind: 'prompt', lane: 'chat', status: 'done' }, [
        { ...done, lane: 'chat', result: 'Three ideas.\nThey are in ideas.md.', usage },
      ]),
      aRow({ id: 3, key: 'suite[web]', status: 'failed' }, [
        {
          outcome: 'failed',
          exit_code: 1,
          reason: 'exit code 1',
          output_tail: 'cart.test: expected 200, got 401\nTests: 1 failed',
        },
      ]),
      aRow({ id: 4, key: 'suite[api]', status: 'failed' }, [
        {
          outcome: 'failed',
          exit_code: 1,
          reason: 'exit code 1',
          output_tail: 'npm ERR! 404 @acme/ui@3.1.0\nnpm ERR! A complete log of this run can be found in: /tmp/x.log',
        },
      ]),
      aRow({ id: 5, key: 'suite[cli]', status: 'failed' }, [
        {
          outcome: 'failed',
          exit_code: 1,
          reason: 'exit code 1',
          output_tail: 'npm ERR! 404 @acme/ui@3.1.0\nnpm ERR! A complete log of this run can be found in: /tmp/y.log',
        },
      ]),
      aRow({ id: 6, key: 'slow', status: 'failed' }, [
        { outcome: 'timed_out', signal: 'SIGTERM', reason: 'timed out after 2h', output_tail: 'waiting …' },
      ]),
      aRow({ id: 7, key: 'crash', status: 'failed' }, [
        { outcome: 'killed', signal: 'SIGKILL', reason: 'killed from outside by SIGKILL, possibly out of memory' },
      ]),
      aRow(
        {
          id: 8,
          key: 'closed',
          status: 'blocked',
          hold: { code: 'tempfail', text: 'said 5 times to try later', by: 'dispatcher' },
        },
        [
          { outcome: 'tempfail', exit_code: 75, reason: 'try later' },
          { outcome: 'tempfail', exit_code: 75, reason: 'try later', output_tail: 'closed for | maintenance' },
        ],
      ),
      aRow(
        { id: 9, key: 'stopped', status: 'blocked', hold: { code: 'by_person', text: 'wait for Bob', by: 'anna' } },
        [{ outcome: 'failed', exit_code: 1, reason: 'exit code 1' }],
      ),
      aRow({ id: 10, key: 'gone', status: 'cancelled' }),
      aRow({ id: 11, key: 'after', status: 'todo' }, [], {
        why: {
          task: 11,
          code: 'need_failed',
          says: 'T11 does not run: it needs T6, which failed',
          since: null,
          until: null,
          then: null,
          you_can: ['yardmaster retry T6'],
        },
      }),
      aRow({ id: 12, key: 'ideas[tests]', kind: 'prompt', lane: 'chat', status: 'ready' }, [], {
        why: {
          task: 12,
          code: 'account_parked',
          says: 'T12 does not run: account openai waits for a person',
          since: null,
          until: null,
          then: null,
          you_can: ['yardmaster resume --account openai'],
        },
      }),
      aRow({ id: 13, key: 'ideas[errors]', kind: 'prompt', lane: 'chat', status: 'ready' }, [], {
        why: {
          task: 13,
          code: 'account_parked',
          says: 'T13 does not run: account openai waits for a person',
          since: null,
          until: null,
          then: null,
          you_can: ['yardmaster resume --account openai'],
        },
      }),
    ],
    {
      accounts_held: [{ account: 'openai', from: at(50), to: at(20), reason: 'rate limit' }],
      yard: [{ at: at(60), text: 'hub 1.2.3 started (pid 4121)' }],
    },
  )
}
