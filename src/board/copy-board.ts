import { isSecretName } from '../kernel/index.ts'
import { isSatisfied } from './acts/is-satisfied.ts'
import type { BoardCopy, CopiedRun, CopiedTask } from './board-copy.ts'
import { copyError } from './copy-errors.ts'
import type { Run } from './run.ts'
import type { Store } from './sqlite/store.ts'
import type { StoredTask } from './stored-task.ts'
import type { TaskSettings, TaskSpec } from './task.ts'

/** Cards that are read at once: a few megabytes, whatever stands in them. */
const cardsAtOnce = 100

/**
 * A board as it is at this moment, read from a snapshot of the store at leisure; `close` is called when it was read to its
 * end or given up. Throws `BOARD_NO_BOARD`.
 */
export function copyBoard(store: Store, board: string, close: () => void): BoardCopy {
  const count = store.countBoardTasks({ board }).reduce((sum, row) => sum + row.tasks, 0)
  if (count === 0) {
    close()
    throw copyError('BOARD_NO_BOARD', { board })
  }
  return { count, tasks: readCards(store, board, close) }
}

function* readCards(store: Store, board: string, close: () => void): BoardCopy['tasks'] {
  try {
    for (let after = 0; ; ) {
      const cards = store.tasksOfBoard({ board, after, limit: cardsAtOnce })
      for (const card of cards) yield copyCard(store, card)
      const last = cards.at(-1)
      if (last === undefined) return
      after = last.id
    }
  } finally {
    close()
  }
}

type Card = CopiedTask & { readonly batch: string | null; readonly rowKey: string | null }

function copyCard(store: Store, task: StoredTask): Card {
  const batch = task.batch === null ? undefined : store.readBatch(task.batch)?.batch
  const { spec, leftOut } = withoutSecrets(withDefaults(store.readSpec(task.id), batch?.defaults))
  const { key, lane, priority, failures, notBeforeMs, holdCode, holdText, holdBy, createdBy, createdAtMs } = task
  const { status, settledAtMs, archivedAtMs, archivedBy, rowKey } = task
  const needs = store.needsOf(task.id).map(({ task: on, when, status: standing }) => ({
    task: on,
    when,
    outside: store.readTask(on)?.board !== task.board,
    met: isSatisfied(standing, when),
  }))
  return {
    from: task.id,
    ...{ key, lane, priority, failures, notBeforeMs, holdCode, holdText, holdBy, createdBy, createdAtMs },
    ...{ status, settledAtMs, archivedAtMs, archivedBy, rowKey },
    batch: batch?.name ?? null,
    spec,
    needs,
    comments: store.commentsOf(task.id),
    runs: store.runsOf(task.id).flatMap(copyRun),
    leftOut,
  }
}

/** A card of a batch says little itself; on its own it must say all. */
function withDefaults(spec: TaskSpec | undefined, defaults: TaskSettings | undefined): TaskSpec {
  if (spec === undefined) throw new Error('a card without texts')
  if (defaults === undefined) return spec
  const env = { ...defaults.env, ...spec.env }
  return { ...defaults, ...spec, ...(Object.keys(env).length === 0 ? {} : { env }) }
}

function withoutSecrets({ env, ...spec }: TaskSpec): { spec: TaskSpec; leftOut: readonly string[] } {
  if (env === undefined) return { spec, leftOut: [] }
  const plain = Object.entries(env).filter(([name]) => !isSecretName(name))
  const leftOut = Object.keys(env).filter(isSecretName)
  return { spec: { ...spec, env: Object.fromEntries(plain) }, leftOut: leftOut.map((name) => `env.${name}`) }
}

/** One that is still open has no end to tell. */
function copyRun(run: Run): readonly CopiedRun[] {
  const { outcome, reason, exitedAtMs, settledAtMs } = run
  if (outcome === null || reason === null || exitedAtMs === null || settledAtMs === null) return []
  const { attempt, lane, account, exitCode, signal, outputTail, result, data, usage, claimedAtMs } = run
  const { peakRssBytes, cpuSeconds, releasedBy, spent } = run
  const call = copyCall(run)
  return [
    {
      ...{ attempt, lane, account, outcome, exitCode, signal, reason, outputTail, result, data, usage, call },
      ...{ spent, claimedAtMs, exitedAtMs, settledAtMs, peakRssBytes, cpuSeconds, releasedBy },
    },
  ]
}

function copyCall({ call }: Run): CopiedRun['call'] {
  if (call === null || call.kind === 'wait') return null
  return { kind: call.kind, code: call.code, text: call.text, atMs: call.atMs }
}
