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

/** docs/benchmarks.md: how the figures are taken, and the table as it was printed. */
export function formatPage(table: string): string {
  return `${[
    '# Benchmarks',
    'Written by `npm run bench -- --write` on a quiet machine. Each figure is the median of five rounds after one that is thrown ' +
      'away. A ratio has both sides measured in the same round, and the side that goes first changes with each round. The hub ' +
      'is the built product (`dist/`), asked over HTTP like any client; peers are programs of their own. Single figures: ' +
      '`npm run bench -- --json ID…`.',
    table,
    'What the peers are: *spawn* is a bare Node program that starts the same command with a log file for each, and waits for its ' +
      'end; it keeps nothing, sweeps nothing and survives nothing. *parallel* is GNU parallel with its job log; its own start-up ' +
      'is not counted. *node* is `node -e 0` from start to end. `NODE_EXTRA_CA_CERTS` is unset throughout: Node 20 parses that ' +
      'file at every start.',
  ].join('\n\n')}\n`
}

const round = (value: number): number => Number(value.toPrecision(4))
const show = (value: number): string => String(Number(value.toPrecision(3)))
