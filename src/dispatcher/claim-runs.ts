import type { Claim, Prepare, PreparedClaim } from '../board/index.ts'
import { createRunMask } from './known-secrets.ts'
import { findLaneFault, holdLane } from './lane-checks.ts'
import type { Loop } from './loop-state.ts'
import { buildOpenRun, type OpenRun } from './open-runs.ts'
import { prepareClaim, refuseClaim } from './prepare-claim.ts'
import { groupBySecrets, needsSecrets, noSecrets, readSecrets } from './read-secret.ts'
import type { ReadyClaim } from './ready-claim.ts'
import { recordUnstarted } from './record-unstarted.ts'
import { startBeside, startsBeside } from './stages/start-beside.ts'
import { startRuns } from './start-runs.ts'
import { watchProbe } from './watch-probe.ts'

/**
 * Takes what may start now and starts it. Attempts whose account's secret must be asked for first, or whose worktree must be made,
 * follow when that is there.
 */
export function claimAndStart(loop: Loop): void {
  if (loop.clock.monotonicMs() < loop.state.restUntilMs) return
  const claims = claim(loop)
  if (claims.length === 0) return
  const carried = claims.map((claim) => ({ claim, open: carry(loop, claim) }))
  const waiting = carried.filter(({ open }) => needsSecrets(loop, open.plan))
  const ready = carried.filter((one) => !waiting.includes(one))
  launch(
    loop,
    ready.map((one) => ({ ...one, secrets: noSecrets })),
  )
  for (const together of groupBySecrets(waiting)) {
    void startWithSecrets(loop, together)
      .catch((fault) => loop.log.error('dispatcher.fault', { step: 'claim', fault: String(fault) }))
      .finally(() => loop.wake())
  }
}

function claim(loop: Loop): readonly Claim[] {
  const { board, config, state, log } = loop
  const busy = [...state.open.values()].filter(({ phase, elsewhere }) => phase !== 'exited' && !elsewhere).length
  const max = config.slots - busy
  if (max <= 0) return []
  holdFaultyLanes(loop)
  const prepare: Prepare = (task, spec, defaults, as): PreparedClaim => {
    if (task.batch !== null) state.touched.add(task.batch)
    try {
      return prepareClaim(loop, task, { spec, defaults, as })
    } catch (fault) {
      // One card that cannot be looked at must not keep all others from starting.
      log.error('claim.not_prepared', { task: task.id, fault: String(fault) })
      return refuseClaim(`it could not be prepared: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
  }
  return board.claim({ max, prepare, by: loop.hub })
}

/** A lane whose own program is missing takes nothing, so that its cards wait instead of being blocked one by one. */
function holdFaultyLanes(loop: Loop): void {
  for (const name of loop.board.lanesToClaim()) {
    const says = findLaneFault(loop, name)
    if (says !== undefined) holdLane(loop, name, says)
  }
}

function carry(loop: Loop, { run, task }: Claim): OpenRun {
  const open = buildOpenRun(loop, run, task)
  loop.state.open.set(open.id, open)
  return open
}

interface Carried {
  readonly claim: Claim
  readonly open: OpenRun
}

/** They all need the same. */
async function startWithSecrets(loop: Loop, waiting: readonly [Carried, ...Carried[]]): Promise<void> {
  const read = await readSecrets(loop, waiting[0].open.plan).catch((fault) => ({
    ok: false as const,
    says: String(fault),
  }))
  const left = waiting.filter(({ open }) => loop.state.open.has(open.id)) // whoever stopped us has given them back
  if (left.length === 0) return
  const opens = left.map(({ open }) => open)
  if (!loop.mayStart()) {
    for (const open of opens) loop.state.unstarted.set(open, 'given back')
    return recordUnstarted(loop)
  }
  if (read.ok)
    return launch(
      loop,
      left.map((one) => ({ ...one, secrets: read.secrets })),
    )
  for (const open of opens) loop.state.unstarted.set(open, { says: read.says, fault: 'lane' })
  recordUnstarted(loop)
}

function launch(loop: Loop, ready: readonly ReadyClaim[]): void {
  for (const { open, secrets } of ready) {
    open.redact = createRunMask(loop, open.plan, secrets)
  }
  const beside = ready.filter(({ open }) => startsBeside(loop, open))
  const now = ready.filter((one) => !beside.includes(one))
  startRuns(loop, now)
  for (const { open } of now) if (open.phase === 'started') watchProbe(loop, open)
  for (const one of beside) loop.steps.begin(one.open, 'start', (signal) => startBeside(loop, one, signal))
  recordUnstarted(loop)
}
