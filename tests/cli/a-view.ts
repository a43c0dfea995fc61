import type { ChangeView, HealthView, RunView, TaskDetail, TaskView } from '../../src/api/contract/index.ts'

/** The moment at which the golden answers were looked at. */
export const nowMs = Date.parse('2026-11-29T13:22:00Z')
const minutesAgo = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString()

/** A task as the API shows it, with what the test is about. */
export function aTask(given: Partial<TaskView>): TaskView {
  return {
    id: 1,
    board: 'main',
    batch: null,
    key: null,
    title: 'fix flaky login test',
    kind: 'prompt',
    lane: 'chat',
    status: 'ready',
    priority: 0,
    labels: [],
    failures: 0,
    attempts: 2,
    runs: given.last_run == null ? 0 : 1,
    open_needs: 0,
    open_run: null,
    last_run: null,
    hold: null,
    not_before: null,
    wish: null,
    created_by: 'anna',
    created_at: minutesAgo(60),
    changed_at: minutesAgo(12),
    settled_at: null,
    archived_at: null,
    archived_by: null,
    ...given,
  }
}

export function aDetail(given: Partial<TaskDetail>): TaskDetail {
  const all_runs = given.all_runs ?? []
  return {
    ...aTask({ last_run: all_runs.at(-1) ?? null, runs: all_runs.length, ...given }),
    prompt: 'fix flaky login test',
    run: null,
    dir: '/home/anna/code/shop',
    needs: [],
    children: [],
    comments: [],
    ...given,
    attachments: [],
    all_runs,
  }
}

/** An attempt that started nine minutes ago. */
export function aRun(given: Partial<RunView>): RunView {
  const id = given.id ?? 1
  return {
    id,
    task: 1,
    attempt: 1,
    phase: given.outcome == null ? 'started' : 'settled',
    stage: given.outcome == null ? 'work' : null,
    stage_over: false,
    lane: 'chat',
    account: null,
    slot: 0,
    probe: false,
    pid: given.outcome == null ? 4711 : null,
    outcome: null,
    exit_code: null,
    signal: null,
    reason: null,
    output_tail: null,
    result_tail: given.result ?? null,
    result: null,
    data: null,
    counts: {},
    compactions: 0,
    refusal: null,
    usage: null,
    model: null,
    cost_usd: null,
    stop: null,
    rung: null,
    call: null,
    heartbeat_at: null,
    late_calls: 0,
    peak_rss_bytes: null,
    cpu_seconds: null,
    claimed_at: minutesAgo(9),
    started_at: minutesAgo(9),
    exited_at: given.outcome == null ? null : minutesAgo(2),
    settled_at: given.outcome == null ? null : minutesAgo(2),
    released_by: null,
    pruned_at: null,
    imported: false,
    host: 'build-1',
    elsewhere: false,
    held: false,
    original: null,
    review: false,
    checked: false,
    live: null,
    change: null,
    stages: [],
    ...given,
    dir: `/home/anna/.local/state/yardmaster/runs/0/R${id}`,
  }
}

export function aHealth(given: Partial<HealthView>): HealthView {
  return {
    version: '1.2.3',
    pid: 4121,
    dispatching: true,
    draining: false,
    leaving: false,
    slots: { total: 4, used: 2 },
    disk: null,
    counts: {},
    holds: [],
    accounts: [],
    last_seq: 100,
    last_hub_at: minutesAgo(60),
    home: '/home/anna/.local/state/yardmaster',
    unclean_stops_24h: 0,
    hub: { instance: 'i1', host: 'build-1', started_by: 'person', notes: [] },
    config: null,
    lanes: [],
    ...given,
  }
}

/** What an attempt left on its branch: one file of nine lines, unless the test says more. */
export function aChange(given: Partial<ChangeView> = {}): ChangeView {
  return {
    repo: '/home/anna/code/shop',
    branch: 'yard/t5-fix',
    base_ref: 'main',
    base_commit: 'a'.repeat(40),
    head_commit: 'b'.repeat(40),
    commits: 1,
    file_count: 1,
    files: [{ path: 'src/login.ts', status: 'modified', insertions: 6, deletions: 9 }],
    insertions: 6,
    deletions: 9,
    left_overs: false,
    outside: [],
    patch_bytes: 400,
    notes: [],
    ...given,
  }
}
