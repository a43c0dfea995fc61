import type { HealthView, TaskView, WhyView } from '../../api/contract/index.ts'
import { describeDuration, describeSize, sayActor } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { goesOnBy } from '../goes-on-by.ts'
import { heldName, howItEnds, lacksSomething, sayLack } from '../render/hold-words.ts'
import { type Cell, renderTable } from '../render/table.ts'
import { ago, clockTime, runLengthMs } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { count, heldWords, stageWords } from '../render/words.ts'
import type { ListView, Section } from './gather-list.ts'

export interface ListLook {
  readonly width: number
  readonly nowMs: number
  readonly paint: CliDeps['paint']
  /** What the list command was narrowed to, for the hints: ` --batch B7`. */
  readonly narrowed: string
  /** `needs you`: the other headings were left out. */
  readonly only?: 'needs you' | undefined
}

/** The board as a person reads it: what needs you first, the one command you most likely want next last. */
export function listLines(view: ListView, look: ListLook): readonly string[] {
  const { paint } = look
  const rows = [
    ...section('NEEDS YOU', view.needsYou, look, (task) => needsYouCells(task, look)),
    ...section('RUNNING', view.running, look, (task) => runningCells(task, look), slotsOf(view)),
    ...section('WAITING', view.waiting, look, (task) => waitingCells(task, view.why.get(task.id), look)),
  ]
  const table = renderTable(rows, {
    width: look.width,
    shrink: [
      [4, 40],
      [2, 12],
      [3, 4],
      // What to type is worth more than the end of a reason, which `show` has in full; below this neither would be read.
      ...(look.width >= 76 ? [[4, 20] as const] : []),
    ],
  })
  const ended = endedLine(view, look)
  return [
    ...holdLines(view, look),
    ...table,
    ...(ended === undefined ? [] : [ended]),
    ...(rows.length === 0 && ended === undefined ? [emptyLine(look)] : []),
    `${paint.dim('Next:')} ${nextCommand(view, look)}`,
  ]
}

export type Row = readonly Cell[]

function section(
  heading: string,
  { rows, total }: Section,
  { paint, narrowed }: ListLook,
  cellsOf: (task: TaskView) => Row,
  underHeading?: string,
): readonly Row[] {
  const lines = rows.map((task, index): Row => {
    const first = index === 0 ? heading : index === 1 ? (underHeading ?? '') : ''
    return [{ text: first, paint: index === 0 ? paint.bold : paint.dim }, ...cellsOf(task)]
  })
  const more = total - rows.length
  if (more <= 0) return lines
  const whole = { text: `yardmaster list${narrowed} --all`, paint: paint.dim }
  return [...lines, [{ text: '' }, { text: '' }, { text: `and ${more} more` }, { text: '' }, whole]]
}

/** Id, title and lane: how every row of a list begins. */
export function headCells(task: TaskView, { paint }: ListLook): Row {
  return [
    { text: `T${task.id}`, paint: paint.cyan },
    { text: onOneLine(task.title) },
    { text: task.lane, paint: paint.dim },
  ]
}

function needsYouCells(task: TaskView, look: ListLook): Row {
  const { hold } = task
  const why = hold === null ? 'waits for you' : `${onOneLine(hold.text)} [${onOneLine(hold.code)}]`
  const command = goesOnBy(task)
  return [
    ...headCells(task, look),
    { text: `${ago(task.changed_at, look.nowMs)}: ${why}`, paint: look.paint.yellow },
    { text: command },
  ]
}

function runningCells(task: TaskView, look: ListLook): Row {
  return [...headCells(task, look), { text: runningWords(task, look.nowMs) }]
}

/** `attempt 1/2  9m  output 40s ago  "webpack 71 %"`. */
export function runningWords(task: TaskView, nowMs: number): string {
  const run = task.last_run
  if (run === null) return 'starting'
  const held = heldWords(run)
  if (held !== undefined) return `${held}  yardmaster why T${task.id}`
  const lengthMs = runLengthMs(run, nowMs)
  const { live } = run
  return [
    `attempt ${task.failures + 1}/${task.attempts}`,
    lengthMs === undefined ? 'starting' : describeDuration(lengthMs),
    ...[stageWords(run)].filter((one) => one !== undefined),
    ...(task.wish === null ? [] : [task.wish === 'cancel' ? 'being cancelled' : 'being stopped']),
    ...(live === null ? [] : [outputWords(live.last_output_at, nowMs)]),
    ...(live === null || live.last_line === null ? [] : [`"${onOneLine(live.last_line)}"`]),
  ].join('  ')
}

const outputWords = (at: string | null, nowMs: number): string =>
  at === null ? 'no output yet' : `output ${ago(at, nowMs)} ago`

function waitingCells(task: TaskView, why: WhyView | undefined, look: ListLook): Row {
  return [...headCells(task, look), { text: waitingWords(task, why, look.nowMs) }]
}

function waitingWords(task: TaskView, why: WhyView | undefined, nowMs: number): string {
  if (task.status === 'triage') return `draft; start it: yardmaster ready T${task.id}`
  if (why !== undefined) return onOneLine(withoutName(why.says))
  if (task.not_before !== null) return `until ${clockTime(task.not_before, nowMs)}`
  return task.open_needs > 0 ? `needs ${task.open_needs} more` : 'ready'
}

/** `T6 does not run: account claude is held` without what the row says already. */
export const withoutName = (says: string): string => says.replace(/^T\d+ [^:]*: /, '')

function slotsOf({ health }: ListView): string | undefined {
  return health.dispatching ? `${health.slots.used}/${health.slots.total}` : undefined
}

function endedLine(
  { done, doneHow, failed, cancelled, archived }: ListView,
  { paint, narrowed }: ListLook,
): string | undefined {
  if (done + failed.total + cancelled + archived === 0) return undefined
  const ids = failed.rows.map((task) => `T${task.id}`).join(' ')
  const more = failed.total - failed.rows.length
  const parts = [
    ...(done > 0 ? [paint.green(`${done} done`) + howWords(doneHow)] : []),
    ...(failed.total > 0
      ? [`${paint.red(`${failed.total} failed`)}: ${ids}${more > 0 ? ` and ${more} more` : ''}`]
      : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
    ...(done + failed.total + cancelled > 0 ? [`all of them: yardmaster list${narrowed} --all`] : []),
    ...(archived > 0 ? [`${archived} archived: yardmaster list${narrowed} --archived`] : []),
  ]
  return `${paint.bold('ENDED')}      ${parts.join(' · ')}`
}

/** ` (3 checked, 1 unchecked)`; commands answer by their exit code, and are neither. */
function howWords(how: ListView['doneHow']): string {
  const parts = [
    ...(how === null || how.checked === 0 ? [] : [`${how.checked} checked`]),
    ...(how === null || how.unchecked === 0 ? [] : [`${how.unchecked} unchecked`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function holdLines({ health }: ListView, { paint, nowMs }: ListLook): readonly string[] {
  const holds = health.holds.map((hold) => {
    if (lacksSomething(hold)) return `${paint.yellow('NEEDS YOU')}  ${sayLack(hold)}. ${howItEnds(hold)}`
    const since = clockTime(hold.since, nowMs)
    const word = hold.kind === 'drain' ? 'DRAINING' : 'PAUSED'
    const why = hold.text === null ? '' : ` (${onOneLine(hold.text)})`
    const by = onOneLine(sayActor(hold.by))
    return `${paint.yellow(word)}  ${heldName(hold)}, since ${since} by ${by}${why}. ${howItEnds(hold)}`
  })
  const noHub = health.dispatching ? [] : [`${paint.yellow('NO HUB')}  nothing starts. Start it: yardmaster up -d`]
  return [
    ...noHub,
    ...leavingLines(health, paint),
    ...diskLines(health, paint),
    ...holds,
    ...parkedLines(health, paint),
  ]
}

/** Accounts whose money or access a person has to settle: none of their tasks goes on before. */
export const parkedAccounts = ({ accounts }: HealthView): HealthView['accounts'] =>
  accounts.filter(({ parked_by }) => parked_by !== null)

function parkedLines(health: HealthView, paint: ListLook['paint']): readonly string[] {
  return parkedAccounts(health).map(({ name, reason }) => {
    const why = reason === null ? '' : `: ${onOneLine(reason)}`
    return `${paint.yellow('NEEDS YOU')}  account ${name}${why}. After mending it: yardmaster resume --account ${name}`
  })
}

function leavingLines(health: HealthView, paint: ListLook['paint']): readonly string[] {
  if (!health.leaving) return []
  const { used } = health.slots
  const after = used === 0 ? '' : ` once ${count(used, 'attempt')} ${used === 1 ? 'has' : 'have'} ended`
  const what = `the hub starts nothing new and stops${after}. At once: yardmaster down --now`
  return [`${paint.yellow('STOPPING')}  ${what}`]
}

function diskLines({ disk }: HealthView, paint: ListLook['paint']): readonly string[] {
  if (disk === null || !disk.low) return []
  const room = `${describeSize(disk.free_bytes)} free, new work needs ${describeSize(disk.needed_bytes)}`
  const largest = disk.largest.slice(0, 3).map(({ path, bytes }) => `${path} ${describeSize(bytes)}`)
  const where = largest.length === 0 ? '' : ` Largest in the home: ${largest.join(', ')}`
  return [`${paint.yellow('DISK LOW')}  ${room}; nothing new starts until there is room.${where}`]
}

function emptyLine({ narrowed, only }: ListLook): string {
  if (only === 'needs you') return `No task needs you${narrowed === '' ? '' : `, of${narrowed}`}.`
  return narrowed === '' ? 'Nothing on the board yet.' : `Nothing here for${narrowed}.`
}

/** The one command that a person most likely wants next. */
function nextCommand({ health, needsYou, running, waiting, failed }: ListView, { narrowed, only }: ListLook): string {
  const [asks] = needsYou.rows
  if (asks !== undefined) return `yardmaster show T${asks.id}`
  const [parked] = parkedAccounts(health)
  if (parked !== undefined && (only === 'needs you' || waiting.total > 0)) {
    return `yardmaster resume --account ${parked.name}`
  }
  if (only === 'needs you') return `yardmaster list${narrowed}`
  if (!health.dispatching && running.total + waiting.total > 0) return 'yardmaster up -d'
  // Nothing is heard of a held one: another that runs is the one to follow.
  const runs = running.rows.find(({ last_run }) => heldWords(last_run) === undefined) ?? running.rows[0]
  if (runs !== undefined) return `yardmaster ${heldWords(runs.last_run) === undefined ? 'log -f' : 'why'} T${runs.id}`
  const [waits] = waiting.rows
  if (waits !== undefined && health.holds.some(({ scope }) => scope === 'all')) return 'yardmaster resume'
  const [broken] = failed.rows
  if (broken !== undefined) return `yardmaster show T${broken.id}`
  if (waits === undefined) return 'yardmaster add "…"'
  return `yardmaster ${waits.status === 'triage' ? 'ready' : 'why'} T${waits.id}`
}
