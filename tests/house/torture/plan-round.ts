import { assertNever } from '../../../src/kernel/index.ts'
import { type BatchPoint, batchPoints, crashPlans } from './crash-plans.ts'
import { createDice, type Dice } from './dice.ts'
import { type Fault, type FaultKind, faultWeights, type WorldKind } from './faults.ts'
import type { Power } from './powers.ts'
import { type TaskKind, type TaskKindName, taskKindNames, taskKinds } from './task-kinds.ts'

/** One task of a round. Its key in the books is `row[n]`, its trace `row.n`. */
export interface PlannedTask {
  readonly row: string
  readonly n: number
  readonly kind: TaskKindName
  /** Third argument of its worker: the exit code of `code`, tenths of a second for those that take a while. */
  readonly code: number
  /** It may begin only when every task of this group is over. */
  readonly after: number | null
}

/** Everything that chance decides about a round, decided before it begins. */
export interface RoundPlan {
  readonly seed: number
  readonly index: number
  readonly world: WorldKind
  readonly slots: number
  /** Groups of the batch file, in order; some wait for the one before. */
  readonly groups: readonly (readonly PlannedTask[])[]
  /** Faults in order, each so long after the one before. More than a round needs: it ends with its last task. */
  readonly faults: readonly { readonly afterMs: number; readonly fault: Fault }[]
  /** What each start of the hub is armed with, in order; then nothing. */
  readonly arms: readonly (string | null)[]
  /** What the hub is armed with that sees the end of the batch. */
  readonly lastArm: string | null
  readonly strangers: number
  /** sleeps: orphans are never collected, so zombies pile up. */
  readonly init: 'collects' | 'sleeps'
}

export interface RoundInput {
  readonly seed: number
  readonly index: number
  readonly tasks: number
  readonly slots: number
  readonly powers: readonly Power[]
  /** Undefined: by turns. */
  readonly world?: WorldKind
}

const faultCount = 400

/** Plans a round from its seed and its number alone. Pure: the same input gives the same plan on any machine. */
export function planRound({ seed, index, tasks, slots, powers, world: wanted }: RoundInput): RoundPlan {
  const worlds = worldTurns.filter((world) => needs[world].every((power) => powers.includes(power)))
  const world = wanted ?? worlds[index % worlds.length] ?? 'plain'
  const dice = (label: string) => createDice(seed, `${index} ${label}`)
  return {
    seed,
    index,
    world,
    slots,
    groups: planGroups(dice('tasks'), world, tasks),
    faults: planFaults(dice('faults'), {
      world,
      powers,
      pause: isMass(tasks) ? { least: 500, most: 2_500 } : { least: 20, most: 500 },
    }),
    // A process that is PID 1 of its namespace cannot kill itself.
    arms: world === 'pid_1' ? [] : planArms(dice('arms'), index),
    lastArm: world === 'pid_1' ? null : dice('last arm').pick(['batch.ended:1', null, null]),
    strangers: world === 'plain' || world === 'namespace' ? 4 : 0,
    init: dice('init').pick(['collects', 'sleeps']),
  }
}

/** The order in which worlds take turns; a short run begins with the plainest. */
const worldTurns: readonly WorldKind[] = [
  'plain',
  'namespace',
  'small_disk',
  'plain',
  'run',
  'pid_1',
  'plain',
  'namespace',
  'run_orphans_die',
]

const needs: Readonly<Record<WorldKind, readonly Power[]>> = {
  plain: [],
  small_disk: ['mount'],
  namespace: ['namespace'],
  pid_1: ['namespace'],
  run: [],
  run_orphans_die: ['death_signal'],
}

/** A round in which the number of tasks is what counts. */
const isMass = (tasks: number): boolean => tasks > 500

/** Where the mass is what counts, those that take their time are few; else they are what there is to hit. */
function sharesOf(tasks: number): { readonly odd: number; readonly slow: number } {
  return isMass(tasks) ? { odd: 0.01, slow: 0.01 } : { odd: 0.12, slow: 0.22 }
}

interface GroupShape {
  /** Of the tasks of the round; gate: one that waits for all of the group before it. */
  readonly share: number | 'gate'
  /** Which group must be over first. */
  readonly after: number | null
}

/** Work, a gate that waits for all of it, work behind the gate; and the same again, side by side. */
const smallShape: readonly GroupShape[] = [0, 3].flatMap((first): GroupShape[] => [
  { share: 0.25, after: null },
  { share: 'gate', after: first },
  { share: 0.25, after: first + 1 },
])

/** Where the mass counts most of it is free, so that the slowest of a group keeps nobody waiting. */
const massShape: readonly GroupShape[] = [
  { share: 0.05, after: null },
  { share: 'gate', after: 0 },
  { share: 0.05, after: 1 },
  { share: 0.9, after: null },
]

function planGroups(dice: Dice, world: WorldKind, tasks: number): RoundPlan['groups'] {
  return (isMass(tasks) ? massShape : smallShape).map(({ share, after }, group) => {
    if (share === 'gate') return [{ row: `g${group}-gate`, n: 0, kind: 'ok', code: 0, after }]
    return Array.from({ length: Math.max(1, Math.floor(tasks * share)) }, (_, n): PlannedTask => {
      const kind = pickKind(dice, world, sharesOf(tasks))
      const code = kind === 'code' ? dice.pick(codes) : dice.int(1, 4)
      return { row: `g${group}-${kind}-${code}`, n, kind, code, after }
    })
  })
}

/** Any but 0 and 75, and none that a shell gives to a death by signal. */
const codes = [1, 2, 3, 64, 70, 77, 78, 99, 125, 126, 127] as const

function pickKind(dice: Dice, world: WorldKind, { odd, slow }: ReturnType<typeof sharesOf>): TaskKindName {
  const at = dice.fraction()
  const size = at < odd ? 'odd' : at < odd + slow ? 'slow' : 'tiny'
  const rows = taskKindNames
    .filter((name) => taskKinds[name].size === size && !isUnfit(name, world))
    .map((name) => ({ name, weight: (taskKinds[name] as TaskKind).weight }))
  return dice.weighted(rows).name
}

/** 3 MB of log are more than a small file system has for it. */
function isUnfit(kind: TaskKindName, world: WorldKind): boolean {
  return kind === 'floods' && world === 'small_disk'
}

const faultNeeds: Readonly<Partial<Record<FaultKind, Power>>> = {
  io_error: 'inject',
  few_files: 'limit',
  fill_disk: 'mount',
  reuse_pids: 'namespace',
  reboot: 'namespace',
}

function planFaults(
  dice: Dice,
  {
    world,
    powers,
    pause,
  }: Pick<RoundInput, 'powers'> &
    Pick<RoundPlan, 'world'> & { readonly pause: { readonly least: number; readonly most: number } },
): RoundPlan['faults'] {
  const rows = Object.entries(faultWeights[world])
    .map(([kind, weight]) => ({ kind: kind as FaultKind, weight }))
    .filter(({ kind }) => powers.includes(faultNeeds[kind] ?? 'always'))
  return Array.from({ length: faultCount }, () => ({
    afterMs: dice.int(pause.least, pause.most),
    fault: planFault(dice, dice.weighted(rows).kind, powers),
  }))
}

const hourMs = 3_600_000

function planFault(dice: Dice, kind: FaultKind, powers: readonly Power[]): Fault {
  switch (kind) {
    case 'kill_hub':
      return { kind }
    case 'term_then_kill':
      return { kind, killAfterMs: dice.int(0, 150) }
    case 'kill_shim':
      return { kind, pick: dice.fraction(), hub: dice.pick(['is_parent', 'unparented']) }
    case 'kill_worker':
    case 'kill_descendant':
      return { kind, pick: dice.fraction() }
    case 'freeze_hub':
      return { kind, forMs: dice.int(50, 1_500) }
    case 'freeze_worker':
      return { kind, pick: dice.fraction(), forMs: dice.int(50, 800) }
    case 'restarts':
      return { kind, afterMs: Array.from({ length: dice.int(2, 4) }, () => dice.int(150, 700)) }
    case 'step_clock':
      return { kind, byMs: dice.pick([8 * hourMs, -8 * hourMs, 90_000, -90_000, 0]) }
    case 'fill_disk':
      return { kind, forMs: dice.int(200, 1_500) }
    case 'io_error':
      return {
        kind,
        calls: dice.pick(['pwrite64', 'fdatasync', 'pread64', 'openat']),
        oneIn: dice.int(1, 20),
        forMs: dice.int(100, 600),
      }
    case 'few_files':
      return { kind, forMs: dice.int(200, 1_000) }
    case 'second_hub':
      return { kind, from: powers.includes('namespace') ? dice.pick(['here', 'other_namespace']) : 'here' }
    case 'reuse_pids': {
      const most = dice.int(1, 4)
      return { kind, most, picks: Array.from({ length: most }, () => dice.fraction()) }
    }
    case 'reboot':
      return { kind, boot: dice.pick(['same_id', 'other_id']) }
    default:
      return assertNever(kind)
  }
}

const armsPerRound = 5

/** Two starts of three are armed; points take turns over the rounds, so that each comes as often. */
function planArms(dice: Dice, index: number): RoundPlan['arms'] {
  const first = dice.fraction() < 0.4 ? arm(dice, dice.pick(['hub.locked', 'batch.committed'])) : null
  const turn = Array.from(
    { length: armsPerRound },
    (_, at) => batchPoints[(index * armsPerRound + at) % batchPoints.length],
  )
  const armed = turn.flatMap((point) => (point === undefined ? [] : [arm(dice, point)]))
  return [first, ...armed.flatMap((text) => (dice.fraction() < 1 / 3 ? [null, text] : [text]))]
}

const arm = (dice: Dice, point: BatchPoint): string => `${point}:${dice.int(1, crashPlans[point].hits)}`
