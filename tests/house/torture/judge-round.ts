import type { BookedRun, BookedTask } from './books.ts'
import { isRun } from './hub-lives.ts'
import { judgeEndOfRun, type RunFacts } from './judge-run.ts'
import type { PlannedTask } from './plan-round.ts'
import type { Played } from './play-round.ts'
import { restingStatus, taskKinds } from './task-kinds.ts'
import type { TraceLine } from './traces.ts'

/** One thing that must not be. */
export interface Finding {
  readonly kind: FindingKind
  readonly says: string
}

export const findingKinds = [
  /** A task that has not come to its end, or done without having been done. */
  'lost',
  /** Two at once, one attempt begun twice, done and begun again, an end that counts twice. */
  'doubled',
  /** The books say another end than the worker left. */
  'wrong_code',
  /** Not knowable, though nothing took its record away. */
  'unknown_unexplained',
  /** A task behind a gate began before all in front of it were over. */
  'out_of_order',
  /** A worker heard TERM twice: agents take the second for "at once". */
  'second_term',
  'stranger_signalled',
  'kept_signalled',
  'leaked_process',
  'leaked_port',
  'leaked_file',
  /** Children of the hub that it has not collected when all is over. */
  'defunct',
  'two_hubs',
  /** The round itself could not be played to its end. */
  'strange',
] as const
export type FindingKind = (typeof findingKinds)[number]

/** Holds a round against its promises: what workers wrote down, what was done to them, and what the books say. Pure. */
export function judgeRound(played: Played): readonly Finding[] {
  const { ledger, strangers, leftovers, broken, books } = played
  return [
    ...ledger.seen,
    ...(broken === null ? [] : [{ kind: 'strange', says: broken } as const]),
    ...(books === undefined ? [{ kind: 'strange', says: 'the yard could not be asked at the end' } as const] : []),
    ...strangers.flatMap(({ name, heard }) =>
      heard.length === 0 ? [] : [{ kind: 'stranger_signalled', says: `${name} heard ${heard.join(' ')}` } as const],
    ),
    ...leftovers.processes.map((says) => ({ kind: 'leaked_process', says }) as const),
    ...leftovers.ports.map((port) => ({ kind: 'leaked_port', says: `port ${port}` }) as const),
    ...leftovers.files.map((says) => ({ kind: 'leaked_file', says }) as const),
    ...(ledger.defunctAtEnd === 0
      ? []
      : [{ kind: 'defunct', says: `${ledger.defunctAtEnd} children of the last hub` } as const]),
    ...judgeTasks(played),
    ...judgeOrder(played),
  ]
}

function judgeTasks({ plan, books, traces, ledger }: Played): readonly Finding[] {
  if (books === undefined) return []
  const booked = new Map(books.tasks.map((task) => [task.key, task]))
  return plan.groups.flat().flatMap((planned) => {
    const key = `${planned.row}[${planned.n}]`
    const lines = traces.get(`${planned.row}.${planned.n}`) ?? []
    const task = booked.get(key)
    if (task === undefined) return [{ kind: 'lost', says: `${key} is not in the books` } as const]
    const findings = [
      ...judgeRest(planned, task, lines),
      ...judgeRepeats(task, lines, books),
      ...task.runs.flatMap((run) => judgeEndOfRun(factsOf({ plan, ledger }, planned, run, lines))),
    ]
    return findings.map(({ kind, says }) => ({ kind, says: `${key}: ${says} ${describe(task, lines)}` }))
  })
}

function factsOf(
  { plan, ledger }: Pick<Played, 'plan' | 'ledger'>,
  { kind }: PlannedTask,
  run: BookedRun,
  lines: readonly TraceLine[],
): RunFacts {
  return {
    run,
    lines: lines.filter((line) => line.run === run.id),
    hits: ledger.hits.filter((hit) => hit.run === run.id),
    ends: taskKinds[kind].ends,
    ledger,
    isStoppedWithHub: isRun(plan),
  }
}

/** Whether a task came to an end that its runs account for. */
function judgeRest(
  { kind }: PlannedTask,
  { status, runs, why }: BookedTask,
  lines: readonly TraceLine[],
): readonly Finding[] {
  const last = runs.at(-1)
  switch (status) {
    case 'done':
      return last?.outcome === 'done' &&
        lines.some((line) => line.what === 'end' && line.run === last.id && line.code === 0)
        ? []
        : [{ kind: 'lost', says: 'done, and no attempt of it ended with 0' }]
    case 'failed':
      return restingStatus(kind) === 'failed' || runs.filter(({ outcome }) => outcome === 'killed').length >= 3
        ? []
        : runs.some(({ outcome }) => outcome === 'killed' || outcome === 'failed')
          ? judgeFailed(kind, runs)
          : [{ kind: 'wrong_code', says: 'failed, though no attempt of it failed' }]
    case 'cancelled':
      return restingStatus(kind) === 'cancelled' ? [] : [{ kind: 'lost', says: `called off, and nobody did: ${why}` }]
    default:
      return [{ kind: 'lost', says: `is ${status} at the end: ${why}` }]
  }
}

/** One attempt: a kill is its failure. More attempts: it fails only when they are used up. */
function judgeFailed(kind: PlannedTask['kind'], runs: readonly BookedRun[]): readonly Finding[] {
  const { attempts } = taskKinds[kind].fields
  const failures = runs.filter(({ outcome }) => outcome === 'killed' || outcome === 'failed').length
  return failures >= attempts ? [] : [{ kind: 'lost', says: `failed after ${failures} of ${attempts} attempts` }]
}

function judgeRepeats(
  { runs }: BookedTask,
  lines: readonly TraceLine[],
  { exits, settlements }: NonNullable<Played['books']>,
): readonly Finding[] {
  const begun = lines.flatMap((line) => (line.what === 'begin' ? [line.run] : []))
  const done = runs.filter(({ outcome }) => outcome === 'done').map(({ id }) => id)
  const known = new Set(runs.map(({ id }) => id))
  const says = [
    ...lines.flatMap((line) => (line.what === 'overlap' ? [`began while ${line.pid} of ${line.with} was alive`] : [])),
    ...lines.flatMap((line) => (line.what === 'unreadable' ? [`two wrote at once: ${line.text}`] : [])),
    ...begun.filter((run, at) => begun.indexOf(run) !== at).map((run) => `R${run} was begun twice`),
    ...begun.filter((run) => !known.has(run)).map((run) => `R${run} was begun and is not in the books`),
    ...(done.length > 1 ? ['is done twice'] : []),
    ...begun
      .filter((run) => done[0] !== undefined && run > done[0])
      .map((run) => `R${run} was begun after it was done`),
    ...runs.filter(({ id }) => (exits.get(id) ?? 0) > 1).map(({ id }) => `the end of R${id} was told twice`),
    ...runs.filter(({ id }) => (settlements.get(id) ?? 0) > 1).map(({ id }) => `R${id} was settled twice`),
  ]
  const terms = new Map<number, number>()
  for (const line of lines) if (line.what === 'term') terms.set(line.run, (terms.get(line.run) ?? 0) + 1)
  return [
    ...says.map((text) => ({ kind: 'doubled', says: text }) as const),
    ...[...terms].flatMap(([run, heard]) =>
      heard < 2 ? [] : [{ kind: 'second_term', says: `R${run} heard TERM ${heard} times` } as const],
    ),
    ...lines.flatMap((line) =>
      line.what === 'kept_signal'
        ? [{ kind: 'kept_signalled', says: `what R${line.run} keeps heard ${line.signal}` } as const]
        : [],
    ),
  ]
}

/** A gate and those behind it begin only after the last line of all in front. */
function judgeOrder({ plan, traces }: Played): readonly Finding[] {
  const linesOf = (group: readonly PlannedTask[]) => group.flatMap(({ row, n }) => traces.get(`${row}.${n}`) ?? [])
  return plan.groups.flatMap((group) => {
    const before = group[0]?.after
    if (before == null) return []
    const lastS = Math.max(...linesOf(plan.groups[before] ?? []).map((line) => (line.what === 'end' ? line.atS : 0)))
    const firstS = Math.min(
      ...linesOf(group).map((line) => (line.what === 'begin' ? line.atS : Number.POSITIVE_INFINITY)),
    )
    return firstS < lastS
      ? [{ kind: 'out_of_order', says: `${group[0]?.row} began at ${firstS} s, before ${lastS} s` } as const]
      : []
  })
}

function describe({ status, runs }: BookedTask, lines: readonly TraceLine[]): string {
  const told = runs.map(
    ({ id, outcome, exitCode, signal, reason }) => `R${id} ${outcome} ${exitCode ?? signal} "${reason}"`,
  )
  return `[${status}; books: ${told.join(', ')}; trace: ${lines.map((line) => Object.values(line).join(' ')).join(', ')}]`
}
