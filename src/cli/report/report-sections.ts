import { describeDuration, sayClock, sayMoment, shellWord } from '../../kernel/index.ts'
import { costWords } from '../render/cost-words.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import type { Cost, Report, Tokens } from './build-report.ts'
import { code, type MarkdownBlock, type MarkdownSection } from './markdown-block.ts'
import { taskTable } from './task-table.ts'

/** More things to do than this are counted: the list says where the rest is. */
const mostToDo = 10
const mostNamed = 8

/** A report in its order: what stands above everything, then what to do, why things failed, what is left, every row. */
export interface ReportSections {
  /** The headline without `#`, and the figures below it. */
  readonly headline: string
  readonly facts: string
  readonly doNow: MarkdownSection | undefined
  readonly causes: MarkdownSection | undefined
  readonly notFinished: MarkdownSection | undefined
  readonly tasks: MarkdownSection
  readonly lookCloser: MarkdownSection
}

/** What a report says, section by section, as Markdown; how it is put together is the caller's. */
export function reportSections(report: Report): ReportSections {
  return {
    headline: report.headline,
    facts: factLines(report),
    doNow: section('Do these now', toDo(report)),
    causes: section('Failed, by cause', causes(report)),
    notFinished: section('Not finished', waiting(report)),
    tasks: { heading: 'Every task', blocks: [taskTable(report.rows)] },
    lookCloser: { heading: 'Look closer', blocks: [lookCloser(report)] },
  }
}

const section = (heading: string, blocks: readonly MarkdownBlock[]): MarkdownSection | undefined =>
  blocks.length === 0 ? undefined : { heading, blocks }

function factLines({ batch, counts, tokens, cost, waste, accountsHeld, yard, tookMs, nowMs }: Report): string {
  const when =
    batch.ended_at === null
      ? `As of ${sayMoment(nowMs)}, ${describeDuration(tookMs)} after it was submitted.`
      : `Ended ${sayMoment(Date.parse(batch.ended_at))}, ${describeDuration(tookMs)} after it was submitted.`
  const lines = [
    when,
    `${countWords(counts)} · failed ${counts.failed} · needs you ${counts.needsYou} · cancelled ${counts.cancelled} · not finished ${counts.notFinished}`,
    ...(tokens === null ? [] : [`Tokens: ${tokenWords(tokens)}.`]),
    ...(cost === null ? [] : [`Cost: ${costSentence(cost)}.`]),
    ...(waste.attempts === 0 ? [] : [wasteWords(waste)]),
    ...accountsHeld.map((held) => heldWords(held, nowMs)),
    ...yard.slice(-mostNamed).map(({ at, text }) => `${sayClock(Date.parse(at), nowMs)} ${onOneLine(text)}`),
  ]
  // Two blanks at the end of a line are a line break in Markdown and nothing in a terminal.
  return lines.join('  \n')
}

/** `done 187 (178 checked · 6 commands · 3 prompts, unchecked) · changed nothing 9`. */
export function countWords({
  done,
  doneChecked,
  doneCommands,
  doneUnchecked,
  changedNothing,
}: Report['counts']): string {
  const changed = done - changedNothing
  const checked = doneChecked === 0 ? [] : [doneChecked === changed ? 'checked' : `${doneChecked} checked`]
  const parts = [
    ...checked,
    ...(doneCommands === 0 ? [] : [count(doneCommands, 'command')]),
    ...(doneUnchecked === 0 ? [] : [`${count(doneUnchecked, 'prompt')}, unchecked`]),
  ]
  const nothing = changedNothing === 0 ? '' : ` · ${changedNothing} changed nothing`
  return `done ${changed}${parts.length === 0 ? '' : ` (${parts.join(' · ')})`}${nothing}`
}

const thousands = (n: number): string => n.toLocaleString('en-US')

const tokenWords = ({ input, cached, output, calls }: Tokens): string =>
  `${thousands(input)} in (${thousands(cached)} cached), ${thousands(output)} out, ${count(calls, 'call')}`

const costSentence = ({ usd, unknownOf }: Cost): string =>
  `${costWords(usd)}${unknownOf === 0 ? '' : `, and what ${count(unknownOf, 'attempt')} cost is not known`}`

function wasteWords({ attempts, tookMs, tokens, usd }: Report['waste']): string {
  const cost = costWords(usd)
  const spent = `${tokens === null ? '' : `, ${thousands(tokens)} tokens`}${cost === undefined ? '' : `, ${cost}`}`
  return `${count(attempts, 'attempt')} ended in nothing: ${describeDuration(tookMs)}${spent}.`
}

function heldWords({ account, from, to, reason }: Report['accountsHeld'][number], nowMs: number): string {
  const clock = (iso: string) => sayClock(Date.parse(iso), nowMs)
  const until = to === null ? 'is held since' : 'was held'
  const span = to === null ? clock(from) : `${clock(from)} to ${clock(to)}`
  return `Account ${account} ${until} ${span} (${onOneLine(reason)}); that cost no attempt.`
}

function toDo({ doNow }: Report): readonly MarkdownBlock[] {
  if (doNow.length === 0) return []
  // What is about the whole batch is never left out for what is about single tasks.
  const whole = doNow.filter(({ task }) => task === null)
  const single = doNow.filter(({ task }) => task !== null).slice(0, mostToDo - whole.length)
  const pieces = [...single, ...whole].map(({ task, key, more, says, command }, index) => {
    const others = more === 0 ? '' : ` (and ${more} more)`
    const what = task === null ? says : `T${task} ${code(key ?? '')}${others}: ${code(says)}`
    return `${index + 1}. ${what}\n   ${code(command)}`
  })
  const left = doNow.length - pieces.length
  return [
    { kind: 'list', pieces },
    ...(left === 0 ? [] : [{ kind: 'text' as const, text: `${left} more: ${code('yardmaster list --needs-me')}` }]),
  ]
}

function causes({ causes: groups }: Report): readonly MarkdownBlock[] {
  if (groups.length === 0) return []
  const rows = groups.map(({ id, code: outcome, says, tasks, suite }) => [
    id,
    String(tasks.length),
    `[${outcome}] ${code(says)}`,
    `${named(tasks)}${suite === undefined || tasks.length === 1 ? '' : `, all in ${code(suite)}`}`,
  ])
  return [
    { kind: 'table', head: ['group', 'tasks', 'cause', 'which'], rows },
    { kind: 'text', text: `Run a group again: ${code(`yardmaster retry @${groups[0]?.id}`)}` },
  ]
}

const named = (tasks: readonly number[]): string => {
  const shown = tasks.slice(0, mostNamed).map((id) => `T${id}`)
  return tasks.length > shown.length ? `${shown.join(' ')} and ${tasks.length - shown.length} more` : shown.join(' ')
}

function waiting({ notFinished, batch }: Report): readonly MarkdownBlock[] {
  if (notFinished.length === 0) return []
  const pieces = notFinished.map(({ code: why, says, tasks }) => `- ${named(tasks)}: ${code(says || why)} [${why}]`)
  const text = goOn(batch, notFinished)
  return [{ kind: 'list', pieces }, ...(text === undefined ? [] : [{ kind: 'text' as const, text }])]
}

/** Without a verdict nothing is needed where a hub works it: it goes on by itself. */
function goOn({ file, verdict }: Report['batch'], notFinished: Report['notFinished']): string | undefined {
  if (verdict === null) {
    return notFinished.some(({ code: why }) => why === 'no_hub')
      ? `Go on with them: ${code('yardmaster up -d')}`
      : undefined
  }
  return file === null ? undefined : `Go on with them: ${code(`yardmaster run ${shellWord(file)} --resume`)}`
}

function lookCloser({ rows, batch }: Report): MarkdownBlock {
  const row = rows.find(({ end }) => end === 'failed') ?? rows.find(({ end }) => end === 'needs_you') ?? rows[0]
  const task = `T${row?.id ?? 1}`
  return {
    kind: 'list',
    pieces: [
      `- ${code(`yardmaster show ${task}`)} all attempts of a task · ${code(`yardmaster log ${task}`)} its output`,
      `- ${code(`yardmaster why ${task}`)} why it does not run · ${code(`yardmaster list --batch B${batch.id} --all`)} every task`,
    ],
  }
}
