// biome-ignore-all lint/suspicious/noThenProperty: the public field of an explanation; nobody awaits one
import {
  assertNever,
  describeSize,
  formatBatchId,
  formatTaskId,
  isOurs,
  sayActor,
  sayClock,
  sayClockAndWait,
  shellWord,
  type TaskId,
} from '../../kernel/index.ts'
import type { Explanation } from '../explain.ts'
import type { Obstacle } from './find-obstacle.ts'
import type { BatchState, Occupied } from './yard-state.ts'

/** What the words are about besides the obstacle itself. */
export interface Saying {
  readonly task: TaskId
  readonly lane: string
  readonly nowMs: number
  /** The card that would be sent through its account's closed gate. */
  readonly probe: TaskId | null
}

/** An obstacle for people, in the words of files-and-cli: never "gate", "claim" or "fence". */
export function sayObstacle(obstacle: Obstacle, { task, lane, nowMs, probe }: Saying): Explanation {
  const name = formatTaskId(task)
  const plain = { code: obstacle.code, sinceMs: null, untilMs: null, then: null, youCan: [] }
  const says = (why: string): string => `${name} does not run: ${why}`

  switch (obstacle.code) {
    case 'paused':
    case 'draining': {
      const { scope, name: held, by, text, sinceMs } = obstacle.hold
      if (scope === 'lane' && isOurs(by)) {
        return {
          ...plain,
          says: says(`lane ${held} cannot start anything${text === null ? '' : `: ${text}`}`),
          sinceMs,
          then: 'it goes on by itself once that is there; yardmaster.yaml and variables are read when a hub starts',
          youCan: ['yardmaster up -d --replace (after mending it)', `yardmaster resume --lane ${held}`],
        }
      }
      const what = scope === 'all' ? 'everything' : `${scope} ${held}`
      const how = obstacle.code === 'paused' ? `${what} is paused` : `${what} is drained and starts nothing new`
      const resume = scope === 'all' ? 'yardmaster resume' : `yardmaster resume --${scope} ${held}`
      return {
        ...plain,
        says: says(`${how}, by ${sayActor(by)}${text === null ? '' : `: ${text}`}`),
        sinceMs,
        youCan: [resume],
      }
    }
    case 'disk_low': {
      const { freeBytes, neededBytes, largest, sinceMs } = obstacle.disk
      const room = `the disk of the home has ${describeSize(freeBytes)} free, and new work needs ${describeSize(neededBytes)}`
      const where = largest.map(({ path, bytes }) => `${path} ${describeSize(bytes)}`)
      const then = `it goes on by itself when there is room again${where.length === 0 ? '' : `; largest in the home: ${where.join(', ')}`}`
      const youCan = ['make room on that disk', 'lower disk_free in yardmaster.yaml']
      return { ...plain, says: says(room), sinceMs, then, youCan }
    }
    case 'lane_unknown': {
      const youCan = [`yardmaster edit ${name} --lane LANE`, `add lane ${lane} to yardmaster.yaml`]
      return { ...plain, says: says(`there is no lane ${lane} in yardmaster.yaml`), youCan }
    }
    case 'batch_cut':
      return {
        ...plain,
        says: says(`its batch ${sayBatch(obstacle.batch)} starts nothing new: ${obstacle.text}`),
        youCan: [`${sayRun(obstacle.batch)} --resume`],
      }
    case 'batch_counting': {
      const by = formatTaskId(obstacle.by.task)
      const then = 'it may start once that is counted, unless it makes the batch halt'
      return { ...plain, says: says(`${by} of its batch ${sayBatch(obstacle.batch)} has just ended badly`), then }
    }
    case 'batch_canary':
      return {
        ...plain,
        says: says(`its batch ${sayBatch(obstacle.batch)} sends a few ahead: ${obstacle.text}`),
        then: 'the others start once they have ended done',
        youCan: [`yardmaster list --batch ${formatBatchId(obstacle.batch.id)}`],
      }
    case 'account_parked': {
      const { account, reason, sinceMs } = obstacle.gate
      const youCan = [`yardmaster resume --account ${account}`]
      return { ...plain, says: says(`account ${account} needs you: ${reason}`), sinceMs, youCan }
    }
    case 'account_held': {
      const { account, untilMs, sinceMs } = obstacle.gate
      const until = untilMs === null ? '' : ` until ${sayClockAndWait(untilMs, nowMs)}`
      const youCan = [`yardmaster edit ${name} --lane LANE`, `yardmaster resume --account ${account} (try now)`]
      const then = sayProbe(task, probe, untilMs === null ? '' : ` at ${sayClock(untilMs, nowMs)}`)
      return { ...plain, says: says(`account ${account} is held${until}`), sinceMs, untilMs, then, youCan }
    }
    case 'account_probing': {
      const { account, sinceMs, probeRun } = obstacle.gate
      const youCan = [`yardmaster resume --account ${account} (let all start)`]
      if (probeRun === null && probe === task) {
        return {
          ...plain,
          code: 'next',
          says: `${name} is next: it tries whether account ${account} serves again`,
          sinceMs,
          youCan,
        }
      }
      const then = 'the others start when it is served'
      return { ...plain, says: says(`one task tries whether account ${account} serves again`), sinceMs, then, youCan }
    }
    case 'folder_busy': {
      const { folder, task: by } = obstacle.by
      const holder = formatTaskId(by)
      const youCan = [`yardmaster show ${holder}`, `yardmaster stop ${holder}`]
      return {
        ...plain,
        says: says(`${holder} works in ${folder}`),
        then: `it may start when ${holder} is over`,
        youCan,
      }
    }
    case 'account_full':
      return { ...plain, says: says(`account ${obstacle.account} has ${sayTaken(obstacle)}`), ...whenFree }
    case 'lane_full':
      return { ...plain, says: says(`lane ${lane} has ${sayTaken(obstacle)}`), ...whenFree }
    case 'batch_slots_full':
      return { ...plain, says: says(`its batch ${sayBatch(obstacle.batch)} has ${sayTaken(obstacle)}`), ...whenFree }
    case 'slots_full':
      return { ...plain, says: says(`the yard has ${sayTaken(obstacle)}`), ...whenFree }
    default:
      return assertNever(obstacle)
  }
}

const whenFree = { then: 'it may start when one of them ends', youCan: ['yardmaster list --status running'] }

function sayTaken({ slots, by }: { readonly slots: number; readonly by: readonly Occupied[] }): string {
  const names = by.slice(0, 4).map((run) => formatTaskId(run.task))
  const more = by.length > names.length ? ` and ${by.length - names.length} more` : ''
  return `${slots === 1 ? 'its one slot' : `all ${slots} slots`} taken, by ${names.join(' ')}${more}`
}

const sayBatch = ({ id, name }: BatchState): string => `${formatBatchId(id)} ${name}`

const sayRun = ({ file }: BatchState): string => `yardmaster run ${shellWord(file ?? '-')}`

function sayProbe(task: TaskId, probe: TaskId | null, at: string): string {
  if (probe === null) return `one task tries it${at}, the others follow`
  if (probe === task) return `one task tries it${at}: this one is first, the others follow`
  return `one task tries it${at}: ${formatTaskId(probe)} is first, the others follow`
}
