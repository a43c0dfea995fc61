import type { Check } from '../../main.ts'
import type { CliDeps } from '../command.ts'
import { onOneLine, padTo } from '../render/visible.ts'
import { count } from '../render/words.ts'

/** Findings, one line each, with what to do below it where there is something. */
export function findingLines(checks: readonly Check[], { paint }: Pick<CliDeps, 'paint'>): readonly string[] {
  const mark = { ok: paint.green('ok  '), warn: paint.yellow('warn'), bad: paint.red('bad ') }
  const width = Math.max(0, ...checks.map(({ name }) => name.length))
  return checks.flatMap(({ name, state, says, fix }) => [
    `${mark[state]}  ${padTo(name, width)}  ${onOneLine(says)}`,
    ...(fix === null ? [] : [`      ${padTo('', width)}  ${paint.dim('fix:')} ${onOneLine(fix)}`]),
  ])
}

/** How many of each kind, and what to do first. */
export function sumLine(checks: readonly Check[], { paint }: Pick<CliDeps, 'paint'>): string {
  const of = (state: Check['state']) => checks.filter((check) => check.state === state)
  const [first] = of('bad')
  const parts = [
    `${of('ok').length} ok`,
    ...(of('warn').length === 0 ? [] : [paint.yellow(count(of('warn').length, 'warning'))]),
    ...(first === undefined ? [] : [paint.red(`${of('bad').length} bad`)]),
  ]
  const next = first === undefined ? 'Nothing is broken.' : `Mend ${first.name} first.`
  return `${paint.bold(parts.join(' · '))}  ${next}`
}
