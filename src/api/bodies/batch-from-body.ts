import type { BatchLimits, NewBatch } from '../../board/index.ts'
import type { BatchLimitsBody, NewBatchBody } from '../contract/index.ts'
import type { YardView } from '../yard-view.ts'
import { badRequest } from './bad-request.ts'
import { durationMs } from './duration-ms.ts'
import type { CardYard } from './refuse-card.ts'
import { settingsFromBody, withoutUndefined } from './settings-from-body.ts'
import { aroundOf, rowFromBody, wallTimeMs } from './task-from-body.ts'

type Deps = { readonly yard: CardYard & Pick<YardView, 'boardLane'>; readonly nowMs: number }

/** A submitted batch, ready for the board: lanes picked, times as moments, the defaults' card fields in each row. */
export function batchFromBody(deps: Deps, body: NewBatchBody, board: string): NewBatch {
  const {
    board: _,
    name,
    key,
    digest,
    file,
    dir,
    repo,
    repo_branch,
    limits,
    defaults,
    tasks,
    mode,
    redo,
    ...unknown
  } = body
  unknown satisfies Record<string, never>
  const { lane, priority, labels, ...settingsBody } = defaults
  const settings = settingsFromBody(settingsBody, 'defaults')
  const around = aroundOf({ dir, ...withoutUndefined({ repo, repo_branch }) })
  const cardDefaults = { ...withoutUndefined({ lane, priority, labels }), settings }
  // Asked once for the whole batch and once for each folder: a batch may have thousands of rows in one folder.
  const lanes = deps.yard.lanes()
  const refusals = new Map<string, ReturnType<YardView['refuseFolder']>>()
  const yard: Deps['yard'] = {
    lanes: () => lanes,
    boardLane: (asked) => deps.yard.boardLane(asked),
    resolveCard: (asked) => deps.yard.resolveCard(asked),
    refuseFolder(asked) {
      const question = JSON.stringify(asked)
      if (!refusals.has(question)) refusals.set(question, deps.yard.refuseFolder(asked))
      return refusals.get(question)
    },
  }
  return {
    name,
    ...(key === undefined ? {} : { key }),
    digest,
    file,
    limits: limitsFromBody(limits, deps.nowMs),
    defaults: settings,
    tasks: tasks.map((row, index) =>
      rowFromBody({ yard, nowMs: deps.nowMs }, row, { board, around, path: `tasks[${index}]`, defaults: cardDefaults }),
    ),
    mode,
    redo,
  }
}

function limitsFromBody(body: BatchLimitsBody, nowMs: number): BatchLimits {
  const { slots, timeout, stop_at, halt, on_wall, first, ...unknown } = body
  unknown satisfies Record<string, never>
  const ends = [
    timeout === undefined ? undefined : nowMs + durationMs(timeout, 'limits.timeout'),
    stop_at === undefined ? undefined : futureMs(stop_at, nowMs),
  ].filter((ms) => ms !== undefined)
  return {
    ...withoutUndefined({ slots, first }),
    ...(ends.length === 0 ? {} : { stopAtMs: Math.min(...ends) }),
    ...(halt === undefined
      ? {}
      : { halt: typeof halt === 'number' ? { count: halt } : { share: parseFloat(halt) / 100 } }),
    onWall: on_wall ?? 'wait',
  }
}

function futureMs(stopAt: string, nowMs: number): number {
  const ms = wallTimeMs(stopAt, nowMs, 'limits.stop_at')
  if (ms > nowMs) return ms
  throw badRequest({
    path: 'limits.stop_at',
    says: `says ${stopAt}, which has passed`,
    fix: 'name a time that is still to come',
  })
}
