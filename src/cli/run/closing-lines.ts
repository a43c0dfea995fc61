import { join, relative } from 'node:path'
import { shellWord } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { cutTo, onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { countWords, patchFolder, type Report } from '../report/index.ts'

export interface Closing {
  readonly report: Report
  /** Absolute folder of the report's files. */
  readonly reportDir: string
  /** Set where the batch has a home of its own, which the other verbs must be told. */
  readonly privateHome: string | undefined
  readonly cwd: string
  readonly width: number
  readonly paint: CliDeps['paint']
}

const mostShown = 5

/** What stands at the end of a run: the verdict, what to do, why things failed, where the rest is. */
export function closingLines({ report, reportDir, privateHome, cwd, width, paint }: Closing): readonly string[] {
  const { doNow, causes, counts } = report
  const isGood = report.batch.verdict?.exit_code === 0
  const headline = (isGood ? paint.green : paint.red)(report.headline)
  const lines = [
    headline,
    ...causes.slice(0, mostShown).map(({ id, tasks, code, says }) => `  ${id} ${tasks.length} × [${code}] ${says}`),
    ...(causes.length > mostShown ? [`  and ${count(causes.length - mostShown, 'more cause')}`] : []),
    ...doNow
      .slice(0, mostShown)
      .map(({ key, says, command }) => toDo(command, key === null ? says : `${onOneLine(key)}: ${says}`, width)),
    ...(doNow.length > mostShown ? [`  and ${doNow.length - mostShown} more: yardmaster list --needs-me`] : []),
    ...(counts.doneChecked + counts.changedNothing === 0 ? [] : [`  ${countWords(counts)}`]),
    ...(counts.doneUnchecked === 0
      ? []
      : [`  ${count(counts.doneUnchecked, 'prompt is', 'prompts are')} done, unchecked: look at what they did`]),
    `Report: ${places(report, (name) => fromHere(cwd, join(reportDir, name))).join(' ')}`,
    ...(privateHome === undefined
      ? []
      : [`Look closer: export YARDMASTER_HOME=${shellWord(privateHome)}; yardmaster list --all`]),
  ]
  const uncut = new Set(doNow.map(({ command }) => `  ${command}`))
  return lines.map((line, index) =>
    index === 0 || index >= lines.length - 2 || uncut.has(line) ? line : cutTo(line, width),
  )
}

/** A command is typed again, so it stands whole; where that fills the line, the words about it go. */
function toDo(command: string, says: string, width: number): string {
  const head = `  ${command}`
  return head.length + 6 > width ? head : `${head}   ${says}`
}

/** What a person or a CI wants of the report: `out/report.md out/junit.xml out/patches/ (186)`. */
function places({ patches }: Report, place: (name: string) => string): readonly string[] {
  const folder = patches.length === 0 ? [] : [`${place(patchFolder)}/ (${patches.length})`]
  return [place('report.md'), place('junit.xml'), ...folder]
}

/** A path as it is typed from here, where that is not longer. */
export function fromHere(cwd: string, path: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short === '' ? '.' : short
}
