import type { Run } from '../board/index.ts'
import { assertNever, crashPoint, createRedactor, formatRunId } from '../kernel/index.ts'
import { watchProbe } from './claim-runs.ts'
import { byDispatcher } from './deps.ts'
import { recallEnd } from './end-runs.ts'
import { knownSecrets } from './known-secrets.ts'
import type { Loop } from './loop-state.ts'
import { buildOpenRun, type OpenRun } from './open-runs.ts'
import { readLaneSecret } from './read-secret.ts'
import { recordUnstarted } from './record-unstarted.ts'
import type { RunRecord } from './supervisor/index.ts'

/**
 * Takes over every attempt that an earlier hub left open, before anything is claimed (design section 6, "Adoption"). Alive and ours:
 * watched on. Gone: its end is decided from its record and report. Never started: given back, nothing counted. Cannot be
 * told: held; it is neither signalled nor repeated until it can be told.
 */
export async function adoptRuns(loop: Loop): Promise<void> {
  const { board, state } = loop
  const runs = board.openRuns().map((run) => ({ run, open: carry(loop, run) }))
  await knowSecrets(
    loop,
    runs.map(({ open }) => open),
  )
  for (const { run, open } of runs) adopt(loop, run, open)
  recordUnstarted(loop)
  for (const open of state.open.values()) {
    if (board.readTask(open.task)?.wish != null) state.wished.set(open.task, { by: 'a person', text: '' })
  }
  if (runs.length > 0) crashPoint('adopt.done')
}

function carry(loop: Loop, run: Run): OpenRun {
  const open = buildOpenRun(loop, run, loop.board.readTask(run.task) ?? { batch: null })
  if (run.phase === 'exited') open.end = recallEnd(open, run)
  loop.state.open.set(open.id, open)
  return open
}

/** What they say from now on is masked as it was before. A secret that is gone by now cannot be looked for. */
async function knowSecrets(loop: Loop, opens: readonly OpenRun[]): Promise<void> {
  for (const lane of new Set(opens.map(({ plan }) => plan.lane))) {
    const read = await readLaneSecret(loop, lane)
    const value = read.ok ? (read.secret?.value ?? null) : null
    for (const open of opens) {
      if (open.plan.lane === lane) open.redact = createRedactor(knownSecrets(loop, open.plan, value))
    }
  }
}

function adopt(loop: Loop, run: Run, open: OpenRun): void {
  const { board, supervisor, state } = loop
  if (run.phase === 'exited' && run.pid === null) {
    state.swept.add(run.id) // it had no process
    return
  }
  const adopted = supervisor.adopt(recordOf(run, open))
  switch (adopted) {
    case 'same': {
      const text = `${formatRunId(run.id)} goes on under this hub`
      board.record({ kind: 'run.adopted', run: run.id, text }, byDispatcher)
      watchProbe(loop, open)
      return
    }
    case 'gone':
      return // its end is told
    case 'never':
      if (run.phase === 'exited') state.swept.add(run.id)
      else state.unstarted.set(open, 'given back')
      return
    case 'cannot_tell':
      open.held = true
      return
    default:
      assertNever(adopted)
  }
}

function recordOf(run: Run, { runDir, marker, plan }: OpenRun): RunRecord {
  const { timeoutMs, stallMs, graceMs, keeps } = plan
  return {
    run: run.id,
    fence: run.fence,
    runDir,
    marker,
    phase: run.phase === 'settled' ? 'exited' : run.phase,
    pid: run.pid,
    fingerprint: run.fingerprint,
    startedMonotonic: run.startedMonotonic,
    limits: { timeoutMs, stallMs, graceMs, keeps },
    stopping: run.stop === null ? null : { rung: run.rung },
  }
}
