// biome-ignore-all lint/suspicious/noThenProperty: the public field of an explanation; nobody awaits one
import {
  assertNever,
  formatRunId,
  formatTaskId,
  isOurs,
  nameSome,
  sayClock,
  sayClockAndWait,
  type TaskId,
} from '../kernel/index.ts'
import { candidateOf, readProbe } from './acts/claim.ts'
import { getTask } from './acts/get-task.ts'
import { isSatisfied } from './acts/is-satisfied.ts'
import { queueLane } from './acts/place-task.ts'
import { type Reading, readYard } from './acts/read-yard.ts'
import { findObstacle } from './admission/find-obstacle.ts'
import { sayObstacle } from './admission/say-obstacle.ts'
import type { YardState } from './admission/yard-state.ts'
import type { Explanation, HubPresence } from './explain.ts'
import { explainLaneReview, verdicts } from './explain-review.ts'
import { hostElsewhere } from './host-elsewhere.ts'
import type { Run } from './run.ts'
import type { GroupRow } from './sqlite/queue-statements.ts'
import { isSettled, sayStatus } from './status.ts'
import type { StoredTask } from './stored-task.ts'
import type { Need } from './task.ts'

/**
 * Why cards do not run, or that they do. What is ready is judged by the planner of the claim itself, which looks at
 * the yard once for all of them.
 */
export function explainTasks(reading: Reading, ids: readonly TaskId[], hub: HubPresence): readonly Explanation[] {
  const known = reading.store.readTasks(ids)
  const tasks = ids.map((id) => known.get(id) ?? getTask(reading, id))
  const outlook = buildOutlook(reading, tasks)
  return tasks.map((task) => explainTask(reading, outlook, task, hub))
}

/** What is looked at once for many cards, and only when one of them asks. */
interface Outlook {
  yard(): YardState
  group(id: number): GroupRow | undefined
  /** The card that will be sent through the closed gate of a group's account. */
  probe(group: GroupRow): TaskId | null
}

function buildOutlook(reading: Reading, tasks: readonly StoredTask[]): Outlook {
  const yard = remember(() =>
    readYard(
      reading,
      tasks.flatMap(({ batch }) => batch ?? []),
    ),
  )
  return {
    yard: () => yard(null),
    group: remember((queueGroup: number) => reading.store.readQueueGroup({ queueGroup })),
    probe: remember(
      (group: GroupRow) => nextProbe(reading, yard(null), group),
      ({ account }) => account,
    ),
  }
}

function remember<In, Out>(look: (input: In) => Out, keyOf: (input: In) => unknown = (input) => input) {
  const seen = new Map<unknown, Out>()
  return (input: In): Out => {
    const key = keyOf(input)
    const known = seen.get(key)
    if (known !== undefined) return known
    const found = look(input)
    seen.set(key, found)
    return found
  }
}

function explainTask(reading: Reading, outlook: Outlook, task: StoredTask, hub: HubPresence): Explanation {
  switch (task.status) {
    case 'running':
      return explainRunning(reading, task)
    case 'done':
    case 'failed':
    case 'cancelled':
      return explainSettled(task)
    case 'triage': {
      const youCan = [`yardmaster ready ${formatTaskId(task.id)}`]
      return explain(task, 'draft', 'it is a draft; drafts never start', { youCan })
    }
    case 'blocked':
      return explainBlocked(reading, task)
    case 'review':
      if (task.reviewLane === null) return explainReview(task)
      return explainLaneReview(task, explainReady({ nowMs: reading.nowMs, outlook }, task, hub))
    case 'todo':
      return explainNeeds(reading, task)
    case 'ready':
      return explainReady({ nowMs: reading.nowMs, outlook }, task, hub)
    default:
      return assertNever(task.status)
  }
}

function explain(
  { id, changedAtMs }: StoredTask,
  code: Explanation['code'],
  why: string,
  more: Partial<Explanation> = {},
): Explanation {
  const says = `${formatTaskId(id)} does not run: ${why}`
  return { code, says, sinceMs: changedAtMs, untilMs: null, then: null, youCan: [], ...more }
}

function explainRunning({ store }: Reading, task: StoredTask): Explanation {
  const name = formatTaskId(task.id)
  const run = task.openRun === null ? undefined : store.readRun(task.openRun)
  const attempt = run === undefined ? '' : ` attempt ${run.attempt} (${formatRunId(run.id)})`
  const common = { untilMs: null, sinceMs: run?.exitedAtMs ?? run?.startedAtMs ?? run?.claimedAtMs ?? null }
  const host = run === undefined ? null : hostElsewhere(store, run)
  if (run !== undefined && host !== null) {
    const says = `${name} waits for you:${attempt} was started on ${host}, another machine; it cannot be looked for from here`
    const then = 'it goes on when that machine works this home again, or when you let it go'
    const youCan = [`yardmaster release ${name} --despite ${formatRunId(run.id)}`, `yardmaster show ${name}`]
    return { ...common, code: 'elsewhere', says, then, youCan }
  }
  if (run?.phase === 'exited') {
    const says = `${name} is ending: processes of${attempt} are still there, or what it left is being put on record`
    const then = 'it goes on when that is over'
    const youCan = [`yardmaster show ${name}`, `yardmaster release ${name} --despite ${formatRunId(run.id)}`]
    return { ...common, code: 'ending', says, then, youCan }
  }
  if (run?.stop != null) {
    const says = `${name} is being ended:${attempt}, ${run.stop.text}`
    return { ...common, code: 'running', says, then: null, youCan: [`yardmaster show ${name}`] }
  }
  const youCan = [`yardmaster log -f ${name}`, `yardmaster stop ${name}`]
  return { ...common, code: 'running', says: `${name} ${sayWork(run)}:${attempt}`, then: null, youCan }
}

/** What its attempt is at. */
function sayWork(run: Run | undefined): string {
  if (run === undefined || run.stage === 'work') {
    const isReview = run?.claimedFrom === 'review'
    if (run?.stageOver === true) return isReview ? 'was reviewed' : 'is done with its work, which is being recorded'
    return isReview ? `is reviewed by lane ${run.lane}` : 'runs'
  }
  return run.stage === 'prepare' ? 'is being prepared' : 'is being checked'
}

function explainSettled(task: StoredTask): Explanation {
  const { id, status, holdText, settledAtMs } = task
  const name = formatTaskId(id)
  const says = `${name} is ${status}${status === 'done' || holdText === null ? '' : `: ${holdText}`}`
  const youCan = [`yardmaster show ${name}`, `yardmaster retry ${name}`]
  return { code: 'settled', says, sinceMs: settledAtMs, untilMs: null, then: null, youCan }
}

function explainReview(task: StoredTask): Explanation {
  const name = formatTaskId(task.id)
  const youCan = [...verdicts(name), `yardmaster show ${name}`]
  const why = task.holdText === null ? '' : `: ${task.holdText}`
  return explain(task, 'review', `it waits for a review by a person${why}`, { youCan })
}

function explainBlocked({ store }: Reading, task: StoredTask): Explanation {
  const name = formatTaskId(task.id)
  const { holdCode, holdBy, holdText } = task
  // A stop names who asked for it already; what the hub decides by itself it gives a reason for.
  const by = holdBy === null || isOurs(holdBy) || holdCode === 'stopped' ? '' : ` (by ${holdBy})`
  const last = store.lastRunOf(task.id)
  if (last?.outcome === 'blocked' && last.call?.kind === 'block') {
    const youCan = [`yardmaster answer ${name} "…"`, `yardmaster cancel ${name}`]
    return explain(task, 'blocked', `it asks you: ${holdText ?? ''}`, { youCan })
  }
  // What a person blocked is let go as it is; an end that asks for a person is tried again.
  const verb = holdCode === 'by_person' ? 'unblock' : 'retry'
  // One that was under review goes back to that, or to its author.
  const verbs = task.fromReview ? ['unblock', 'retry', 'cancel'] : [verb, 'cancel']
  const youCan = verbs.map((act) => `yardmaster ${act} ${name}`)
  return explain(task, 'blocked', `it needs you: ${holdText ?? 'no reason was given'}${by}`, { youCan })
}

/** Most needs that are named; a summary may wait for thousands. */
const mostNamed = 5

function explainNeeds({ store }: Reading, task: StoredTask): Explanation {
  const open = store.needsOf(task.id).filter((need) => !isSatisfied(need.status, need.when))
  const ended = open.filter((need) => isSettled(need.status))
  const name = formatTaskId(task.id)
  const first = ended[0] ?? open[0]
  const cause = first === undefined ? '' : formatTaskId(first.task)
  if (ended.length > 0) {
    const why = `it needs ${list(ended.map((need) => `${formatTaskId(need.task)} (${sayStatus(need.status)})`))}`
    const then = `it may start once ${cause} is done`
    return explain(task, 'need_failed', why, {
      then,
      youCan: [`yardmaster retry ${cause}`, `yardmaster cancel ${name}`],
    })
  }
  const why = `it waits for ${list(open.map((need) => `${formatTaskId(need.task)} (${sayStatus(need.status)})`))}`
  return explain(task, 'need_open', why, {
    then: `it may start once ${open.length === 1 ? cause : 'they'} ${sayCounts(open)}`,
    youCan: [`yardmaster why ${cause}`],
  })
}

/** What has to become of needs, as the verb of a sentence about them. */
function sayCounts(needs: readonly Pick<Need, 'when'>[]): string {
  const isOne = needs.length === 1
  if (needs.every(({ when }) => when === 'done')) return isOne ? 'is done' : 'are done'
  const ended = isOne ? 'has ended' : 'have ended'
  return needs.every(({ when }) => when === 'always') ? ended : `${ended} as it needs them`
}

const list = (names: readonly string[]): string => nameSome(names, mostNamed)

function explainReady(
  { nowMs, outlook }: { readonly nowMs: number; readonly outlook: Outlook },
  task: StoredTask,
  hub: HubPresence,
): Explanation {
  const name = formatTaskId(task.id)
  const group = outlook.group(task.queueGroup)
  if (group === undefined) throw new Error(`${name} is in no queue`)
  const candidate = candidateOf(
    group,
    { task: task.id, rank: -task.priority, folder: task.folder, review: task.status === 'review' ? 1 : 0 },
    { canary: task.canary, probe: false },
  )
  const obstacle = findObstacle(outlook.yard(), candidate)
  // What lasts longer tells more: a back-off of seconds says little while the account is held for hours.
  const isLater = task.notBeforeMs !== null && task.notBeforeMs > nowMs
  const lastsLonger = obstacle !== undefined && !passing.has(obstacle.code)

  if (hub === 'none' && !lastsLonger) {
    const youCan = ['yardmaster up -d']
    return explain(task, 'no_hub', 'no hub is up, so nothing starts', { sinceMs: null, youCan })
  }
  if (hub === 'leaving' && !lastsLonger) {
    const youCan = ['yardmaster up -d (once it has stopped)']
    return explain(task, 'draining', 'the hub is being stopped and starts nothing new', { sinceMs: null, youCan })
  }
  if (isLater && !lastsLonger) return explainLater(task, nowMs)
  if (obstacle !== undefined) {
    return sayObstacle(obstacle, { task: task.id, lane: queueLane(task), nowMs, probe: outlook.probe(group) })
  }
  const says = `${name} is next: it starts as soon as the hub gets to it`
  return { code: 'next', says, sinceMs: task.changedAtMs, untilMs: null, then: null, youCan: [] }
}

/** Obstacles that go by themselves when something else ends. */
const passing = new Set(['account_full', 'lane_full', 'slots_full', 'batch_slots_full', 'folder_busy'])

function explainLater(task: StoredTask, nowMs: number): Explanation {
  const untilMs = task.notBeforeMs ?? nowMs
  const why = task.holdText === null ? '' : ` (${task.holdText})`
  const more = {
    untilMs,
    then: `it may start at ${sayClock(untilMs, nowMs)}`,
    youCan: [`yardmaster retry ${formatTaskId(task.id)} (now)`],
  }
  return explain(task, 'later', `it waits until ${sayClockAndWait(untilMs, nowMs)}${why}`, more)
}

/** The card that will be sent through this group's closed gate, judged as of the moment at which that may happen. */
function nextProbe(reading: Reading, yard: YardState, group: GroupRow): TaskId | null {
  const gate = group.account === null ? undefined : yard.gates.get(group.account)
  if (gate?.untilMs == null || gate.parkedBy !== null || gate.probeRun !== null) return null
  const groups = reading.store.readyGroups({}).filter(({ account }) => account === group.account)
  const then = { ...yard, nowMs: Math.max(yard.nowMs, gate.untilMs), occupied: [] }
  return readProbe(reading, then, groups)?.task ?? null
}
