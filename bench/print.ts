import { type Figure, isReached } from './figure.ts'
import { median } from './statistics.ts'

/** A figure with the value of each round. */
export interface Measured {
  readonly figure: Figure
  readonly rounds: readonly number[]
}

/** `{"figures": {id: {"median": n, "rounds": […]}}}`, the form that other programs read. */
export function formatJson(measured: readonly Measured[]): string {
  const figures = measured.map(({ figure, rounds }) => [
    figure.id,
    { median: round(median(rounds)), rounds: rounds.map(round) },
  ])
  return JSON.stringify({ figures: Object.fromEntries(figures) })
}

/** The table for people, as docs/benchmarks.md shows it. */
export function formatTable(measured: readonly Measured[], conditions: Readonly<Record<string, string>>): string {
  const rows = measured.map(({ figure, rounds }) => {
    const middle = median(rounds)
    const goal = 'atLeast' in figure.goal ? `at least ${figure.goal.atLeast}` : `at most ${figure.goal.atMost}`
    const verdict = isReached(figure.goal, middle) ? 'reached' : 'missed'
    return `| ${figure.id} | ${show(middle)} | ${goal} | ${verdict} | ${rounds.map(show).join(' · ')} | ${figure.says} |`
  })
  const stated = Object.entries(conditions).map(([name, value]) => `${name} ${value}`)
  return [
    '| figure | median | goal | | rounds | what |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Conditions: ${stated.join(' · ')}`,
  ].join('\n')
}

const round = (value: number): number => Number(value.toPrecision(4))
const show = (value: number): string => String(Number(value.toPrecision(3)))
