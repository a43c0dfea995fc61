import { describeDuration, sayClock, sayMoment, shellWord } from '../../kernel/index.ts'
import { cutTo, onOneLine, padTo, widthOf } from '../render/visible.ts'
import { count } from '../render/words.ts'
import type { Report, Tokens } from './build-report.ts'
import type { ReportRow } from './report-row.ts'

/** Longest cell of free text in a table; the whole is in report.json and `yardmaster log`. */
const longestCell = 80
/** More things to do than this are counted: the list says where the rest is. */
const mostToDo = 10
const mostNamed = 8

/** The report as Markdown that also reads well as plain text: its tables are padded. */
export function renderMarkdown(report: Report): string {
  return `${[
    `# ${report.headline}`,
    factLines(report),
    ...section('Do these now', toDo(report)),
    ...section('Failed, by cause', causes(report)),
    ...section('Not finished', waiting(report)),
    ...section('Every task', everyTask(report)),
    ...section('Look closer', lookCloser(report)),
  ].join('\n\n')}\n`
}

function section(heading: string, body: string | undefined): readonly string[] {
  return body === undefined ? [] : [`## ${heading}`, body]
}

function factLines({ batch, counts, tokens, waste, accountsHeld, yard, tookMs, nowMs }: Report): string {
  const when =
    batch.ended_at === null
      ? `As of ${sayMoment(nowMs)}, ${describeDuration(tookMs)} after it was submitted.`
      : `Ended ${sayMoment(Date.parse(batch.ended_at))}, ${describeDuration(tookMs)} after it was submitted.`
  const lines = [
    when,
    `${doneWords(counts)} · failed ${counts.failed} · needs you ${counts.needsYou} · cancelled ${counts.cancelled} · not finished ${counts.notFinished}`,
    ...(tokens === null ? [] : [`Tokens: ${tokenWords(tokens)}.`]),
    ...(waste.attempts === 0 ? [] : [wasteWords(waste)]),
    ...accountsHeld.map((held) => heldWords(held, nowMs)),
    ...yard.slice(-mostNamed).map(({ at, text }) => `${sayClock(Date.parse(at), nowMs)} ${onOneLine(text)}`),
  ]
  // Two blanks at the end of a line are a line break in Markdown and nothing in a terminal.
  return lines.join('  \n')
}

function doneWords({ done, doneCommands, doneUnchecked }: Report['counts']): string {
  const parts = [
    ...(doneCommands === 0 ? [] : [count(doneCommands, 'command')]),
    ...(doneUnchecked === 0 ? [] : [`${count(doneUnchecked, 'prompt')}, unchecked`]),
  ]
  return parts.length === 0 ? `done ${done}` : `done ${done} (${parts.join(' · ')})`
}

const thousands = (n: number): string => n.toLocaleString('en-US')

const tokenWords = ({ input, cached, output, calls }: Tokens): string =>
  `${thousands(input)} in (${thousands(cached)} cached), ${thousands(output)} out, ${count(calls, 'call')}`

function wasteWords({ attempts, tookMs, tokens }: Report['waste']): string {
  const spent = tokens === null ? '' : `, ${thousands(tokens)} tokens`
  return `${count(attempts, 'attempt')} ended in nothing: ${describeDuration(tookMs)}${spent}.`
}

function heldWords({ account, from, to, reason }: Report['accountsHeld'][number], nowMs: number): string {
  const clock = (iso: string) => sayClock(Date.parse(iso), nowMs)
  const until = to === null ? 'is held since' : 'was held'
  const span = to === null ? clock(from) : `${clock(from)} to ${clock(to)}`
  return `Account ${account} ${until} ${span} (${onOneLine(reason)}); that cost no attempt.`
}

function toDo({ doNow }: Report): string | undefined {
  if (doNow.length === 0) return undefined
  const shown = doNow.slice(0, mostToDo).map(({ task, key, more, says, command }, index) => {
    const others = more === 0 ? '' : ` (and ${more} more)`
    return `${index + 1}. T${task} ${code(key)}${others}: ${code(says)}\n   ${code(command)}`
  })
  const left = doNow.length - shown.length
  return [...shown, ...(left === 0 ? [] : [`\n${left} more: ${code('yardmaster list --needs-me')}`])].join('\n')
}

function causes({ causes: groups }: Report): string | undefined {
  if (groups.length === 0) return undefined
  const rows = groups.map(({ id, code: outcome, says, tasks, suite }) => [
    id,
    String(tasks.length),
    `[${outcome}] ${code(says)}`,
    `${named(tasks)}${suite === undefined || tasks.length === 1 ? '' : `, all in ${code(suite)}`}`,
  ])
  const rerun = `Run a group again: ${code(`yardmaster retry @${groups[0]?.id}`)}`
  return `${table(['group', 'tasks', 'cause', 'which'], rows)}\n\n${rerun}`
}

const named = (tasks: readonly number[]): string => {
  const shown = tasks.slice(0, mostNamed).map((id) => `T${id}`)
  return tasks.length > shown.length ? `${shown.join(' ')} and ${tasks.length - shown.length} more` : shown.join(' ')
}

function waiting({ notFinished, batch }: Report): string | undefined {
  if (notFinished.length === 0) return undefined
  const rows = notFinished.map(({ code: why, says, tasks }) => `- ${named(tasks)}: ${code(says || why)} [${why}]`)
  const goOn =
    batch.file === null || batch.verdict === null
      ? []
      : [`\nGo on with them: ${code(`yardmaster run ${shellWord(batch.file)} --resume`)}`]
  return [...rows, ...goOn].join('\n')
}

function everyTask({ rows }: Report): string {
  return table(
    ['task', 'row', 'outcome', 'attempts', 'why', 'last line', 'time', 'tokens'],
    rows.map((row) => [
      `T${row.id}`,
      code(row.key),
      `${row.words} [${row.code}]`,
      String(row.attempts),
      row.why === '' ? '' : code(row.why),
      row.lastLine === '' ? '' : code(row.lastLine),
      row.tookMs === null ? '' : describeDuration(row.tookMs),
      tokensOf(row),
    ]),
  )
}

/** A command has no tokens; a prompt whose provider said nothing has some that nobody knows. */
function tokensOf({ tokens, kind, attempts }: ReportRow): string {
  if (tokens !== null) return thousands(tokens)
  return kind === 'prompt' && attempts > 0 ? 'unknown' : ''
}

function lookCloser({ rows, batch }: Report): string {
  const row = rows.find(({ end }) => end === 'failed') ?? rows.find(({ end }) => end === 'needs_you') ?? rows[0]
  const task = `T${row?.id ?? 1}`
  return [
    `- ${code(`yardmaster show ${task}`)} all attempts of a task · ${code(`yardmaster log ${task}`)} its output`,
    `- ${code(`yardmaster why ${task}`)} why it does not run · ${code(`yardmaster list --batch B${batch.id} --all`)} every task`,
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[head, ...rows].map((row) => widthOf(row[column] ?? title))),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => padTo(cell, widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/**
 * Foreign text as a code span, so that nothing in it is Markdown or HTML: a fence longer than any run of backticks in
 * it (CommonMark 6.1), and `|` escaped, which would end a cell even there (GFM tables).
 */
export function code(text: string): string {
  const cut = cutTo(onOneLine(text).replaceAll('|', '\\|'), longestCell)
  const longest = Math.max(0, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  if (longest === 0) return `\`${cut}\``
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${cut} ${fence}`
}
