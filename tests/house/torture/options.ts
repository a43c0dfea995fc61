import { parseArgs } from 'node:util'
import type { WorldKind } from './faults.ts'
import { faultWeights } from './faults.ts'

export interface TortureOptions {
  /** How long rounds are begun. */
  readonly seconds: number
  readonly seed: number
  /** Go on until so many tasks are through, however long that takes; null: until the seconds are over. */
  readonly tasks: number | null
  readonly tasksPerRound: number
  readonly slots: number
  /** Only this round of the seed. */
  readonly round: number | null
  readonly world: WorldKind | null
  readonly pidReuses: number
  readonly output: 'table' | 'json'
  readonly writePage: 'write' | 'leave'
  /** Whether the folders of rounds stay for whoever wants to look into them. */
  readonly keep: 'keep' | 'remove'
  readonly detail: 'rounds' | 'steps'
  readonly product: string
}

/** Parses the command line. Throws with a sentence for people. */
export function parseOptions(args: readonly string[], { anySeed }: { readonly anySeed: number }): TortureOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '150' },
      seed: { type: 'string', default: String(anySeed) },
      tasks: { type: 'string' },
      'tasks-per-round': { type: 'string' },
      slots: { type: 'string', default: '4' },
      round: { type: 'string' },
      world: { type: 'string' },
      'pid-reuses': { type: 'string', default: '1000' },
      product: { type: 'string', default: 'dist-test/bin.cjs' },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      steps: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
    },
  })
  const tasks = values.tasks === undefined ? null : whole('tasks', values.tasks, 1)
  const { world } = values
  if (world !== undefined && !(world in faultWeights)) {
    throw new Error(`--world wants one of ${Object.keys(faultWeights).join(', ')}, not ${world}`)
  }
  return {
    seconds: whole('seconds', values.seconds, 0),
    seed: whole('seed', values.seed, 0),
    tasks,
    tasksPerRound: whole('tasks-per-round', values['tasks-per-round'] ?? (tasks === null ? '300' : '5000'), 4),
    slots: whole('slots', values.slots, 1),
    round: values.round === undefined ? null : whole('round', values.round, 0),
    world: (world as WorldKind | undefined) ?? null,
    pidReuses: whole('pid-reuses', values['pid-reuses'], 0),
    output: values.json ? 'json' : 'table',
    writePage: values.write ? 'write' : 'leave',
    keep: values.keep ? 'keep' : 'remove',
    detail: values.steps ? 'steps' : 'rounds',
    product: values.product,
  }
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < least || text.trim() === '') {
    throw new Error(`--${name} wants a whole number from ${least}, not ${text}`)
  }
  return number
}
