import type { TortureOptions } from './options.ts'
import type { ReuseFigures } from './pid-reuse/play-reuses.ts'
import type { Skipped } from './powers.ts'
import type { Tally } from './tally.ts'

export interface Summary {
  readonly options: TortureOptions
  readonly tally: Tally
  /** null: not tried. */
  readonly reuse: ReuseFigures | null
  readonly skipped: readonly Skipped[]
  readonly seconds: number
}

/** One object for programs. Counts that must be 0 stand at the top level, the rest by kind below. */
export function formatJson({ options, tally, reuse, skipped, seconds }: Summary): string {
  const { findings } = tally
  return JSON.stringify({
    seed: options.seed,
    seconds: Math.round(seconds * 10) / 10,
    faults: tally.faults,
    tasks: tally.tasks,
    runs: tally.runs,
    lost: findings.lost,
    doubled: findings.doubled,
    wrong_code: findings.wrong_code,
    unknown: tally.unknown,
    unknown_unexplained: findings.unknown_unexplained,
    strangers: findings.stranger_signalled,
    leaked_processes: findings.leaked_process,
    leaked_ports: findings.leaked_port,
    leaked_files: findings.leaked_file,
    defunct: findings.defunct,
    out_of_order: findings.out_of_order,
    second_terms: findings.second_term,
    kept_signalled: findings.kept_signalled,
    two_hubs: findings.two_hubs,
    strange: findings.strange,
    pid_reuses: reuse?.reuses ?? 0,
    pid_reuse_strangers: reuse?.signalled ?? 0,
    pid_reuse_control: reuse?.control ?? 0,
    pid_reuse_answers: reuse?.answers ?? {},
    rounds: tally.rounds,
    strangers_watched: tally.strangersWatched,
    defunct_most: tally.defunctMost,
    faults_by_kind: tally.faultsByKind,
    crash_points: tally.crashPoints,
    worlds: tally.worlds,
    statuses: tally.statuses,
    outcomes: tally.outcomes,
    skipped: skipped.map(({ without, why }) => `${without}: ${why}`),
    findings: tally.examples,
  })
}

/** The same for people. */
export function formatTable({ options, tally, reuse, skipped, seconds }: Summary): string {
  const { findings } = tally
  const row = (name: string, value: string | number) => `| ${name} | ${value} |`
  const kinds = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([kind, times]) => `${kind} ${times}`)
      .join(' · ') || 'none'
  return [
    '| what | how many |',
    '| --- | --- |',
    row('seed', options.seed),
    row('seconds', seconds.toFixed(1)),
    row('rounds', `${tally.rounds} (${kinds(tally.worlds)})`),
    row('faults', `${tally.faults} (${kinds(tally.faultsByKind)})`),
    row('crash points hit', kinds(tally.crashPoints)),
    row('tasks', `${tally.tasks} (${kinds(tally.statuses)})`),
    row('runs', `${tally.runs} (${kinds(tally.outcomes)})`),
    ...Object.entries(findings).map(([kind, times]) => row(kind.replaceAll('_', ' '), times)),
    row('end not knowable, explained', tally.unknown - findings.unknown_unexplained),
    row('strangers watched', tally.strangersWatched),
    ...(reuse === null
      ? []
      : [
          row('pids reused by force', `${reuse.reuses} (${kinds(reuse.answers)})`),
          row('strangers signalled on them', reuse.signalled),
          row('by a signaller that knows only pids', reuse.control),
        ]),
    row('most defunct children of a hub at once', tally.defunctMost),
    ...skipped.map(({ without, why }) => row('skipped', `${without}: ${why}`)),
  ].join('\n')
}
