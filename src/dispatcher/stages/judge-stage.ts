import { isHardStop, type Outcome, type StopReason } from '../../board/index.ts'
import { tempfailCode } from '../exit-rules.ts'
import { hardStops, softStops } from '../judge-end.ts'
import { sayStop, sayWaitStatus } from '../say-end.ts'
import type { WaitStatus } from '../supervisor/index.ts'

/** What may decide how a setup or a check ended, gathered after its death was seen. */
export interface StageFacts {
  readonly stop: Pick<StopReason, 'kind' | 'by' | 'text'> | null
  readonly delivered: boolean
  readonly wait: WaitStatus | null
  readonly record: WaitStatus | 'never' | null
  readonly otherBoot: boolean
  /** For people: `npm test`. */
  readonly command: string
}

/**
 * passed: the attempt goes on. never: it never got its go, and is started again. ended: so ends the attempt.
 */
export type StageVerdict =
  | { readonly kind: 'passed' | 'never' }
  | { readonly kind: 'ended'; readonly outcome: Outcome; readonly says: string }

/**
 * Decides what a check says of an attempt whose work is done (design section 4): 0 is good. What kept it from saying anything (75,
 * 126, 127, its limit, a signal, an end that is not knowable) is `check_error`, any other code `check_failed`. A person's stop
 * and ours of the yard decide as they do for the work. Pure.
 */
export function judgeCheck(facts: StageFacts): StageVerdict {
  const { command, otherBoot } = facts
  if (facts.record === 'never') return { kind: 'never' }
  const stopped = byStop(facts, 'check_error', `its check (${command})`)
  if (stopped !== undefined) return stopped
  const status = statusOf(facts)
  if (status === null) {
    const why = otherBoot ? 'was cut by a reboot of the machine' : 'left no exit code: its end is not knowable'
    return { kind: 'ended', outcome: 'check_error', says: `its check (${command}) ${why}` }
  }
  if (status.kind === 'code' && status.code === 0) return { kind: 'passed' }
  const says = `its check (${command}): ${sayWaitStatus(status)}`
  const couldNotSay = status.kind === 'signal' || saysNothing.includes(status.code)
  return { kind: 'ended', outcome: couldNotSay ? 'check_error' : 'check_failed', says }
}

/** Try later, not executable, not found. */
const saysNothing: readonly number[] = [tempfailCode, 126, 127]

/**
 * Decides whether a workspace is ready. A setup that fails is no attempt at the task: `launch_failed`, with its own cap; one that
 * was cut from outside is simply done again. Pure.
 */
export function judgePrepare(facts: StageFacts): StageVerdict {
  const { command } = facts
  if (facts.record === 'never') return { kind: 'never' }
  const stopped = byStop(facts, 'launch_failed', `the setup (${command})`)
  if (stopped !== undefined) return stopped
  const status = statusOf(facts)
  if (status === null)
    return { kind: 'ended', outcome: 'interrupted', says: `the setup (${command}) was cut: it left no exit code` }
  if (status.kind === 'code' && status.code === 0) return { kind: 'passed' }
  const says = `the setup (${command}): ${sayWaitStatus(status)}`
  const isCut = status.kind === 'signal' && (status.signal === 'SIGINT' || status.signal === 'SIGTERM')
  return { kind: 'ended', outcome: isCut ? 'interrupted' : 'launch_failed', says }
}

function statusOf({ wait, record }: StageFacts): WaitStatus | null {
  return wait ?? (record === 'never' ? null : record)
}

/** Its own limits say nothing about the task; who stops the task itself, stops it. */
function byStop(facts: StageFacts, ownLimit: Outcome, what: string): StageVerdict | undefined {
  const { stop, delivered } = facts
  if (stop === null) return undefined
  if (isHardStop(stop.kind)) {
    if (!delivered) return undefined
    const isOfTheTask = stop.kind === 'cancel' || stop.kind === 'stop' || stop.kind === 'budget'
    const outcome = isOfTheTask ? hardStops[stop.kind] : ownLimit
    return { kind: 'ended', outcome, says: `${what} was ended: ${sayStop(stop)}` }
  }
  const status = statusOf(facts)
  const isBySignal = status === null ? delivered : status.kind === 'signal'
  if (!softStops.includes(stop.kind) || !isBySignal) return undefined
  return { kind: 'ended', outcome: 'interrupted', says: `${what} was ended: ${sayStop(stop)}` }
}
