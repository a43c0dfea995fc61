import type { Claim, PreparedClaim, Task, TaskSettings, TaskSpec } from '../board/index.ts'
import { createRedactor } from '../kernel/index.ts'
import { openAfterProbe } from './apply-gates.ts'
import { gateNumbers } from './gates.ts'
import { knownSecrets } from './known-secrets.ts'
import { findLaneFault, holdLane } from './lane-checks.ts'
import type { Loop } from './loop-state.ts'
import { buildOpenRun, type OpenRun } from './open-runs.ts'
import { prepareClaim, refuseClaim } from './prepare-claim.ts'
import { needsSecret, readLaneSecret } from './read-secret.ts'
import { type ReadyClaim, startRuns } from './start-runs.ts'
import { type LaunchFault, planGivenBack, planUnstarted } from './unstarted.ts'

/** Takes what may start now and starts it. Attempts whose account's secret must be asked for first follow when it is there. */
export function claimAndStart(loop: Loop, options: { readonly mayStart: () => boolean }): void {
  const claims = claim(loop)
  if (claims.length === 0) return
  const carried = claims.map((claim) => ({ claim, open: carry(loop, claim) }))
  const waiting = carried.filter(({ open }) => needsSecret(loop, open.plan.lane))
  const ready = carried.filter((one) => !waiting.includes(one))
  launch(
    loop,
    ready.map((one) => ({ ...one, secret: null })),
  )
  for (const lane of new Set(waiting.map(({ open }) => open.plan.lane))) {
    void startWithSecret(
      loop,
      lane,
      waiting.filter(({ open }) => open.plan.lane === lane),
      options,
    )
  }
}

function claim(loop: Loop): readonly Claim[] {
  const { board, config, state, log } = loop
  const busy = [...state.open.values()].filter(({ phase }) => phase !== 'exited').length
  const max = config.slots - busy
  if (max <= 0) return []
  holdFaultyLanes(loop)
  const prepare = (task: Task, spec: TaskSpec, defaults: TaskSettings | null): PreparedClaim => {
    if (task.batch !== null) state.touched.add(task.batch)
    try {
      return prepareClaim(loop, task, spec, defaults)
    } catch (fault) {
      // One card that cannot be looked at must not keep all others from starting.
      log.error('claim.not_prepared', { task: task.id, fault: String(fault) })
      return refuseClaim(`it could not be prepared: ${fault instanceof Error ? fault.message : String(fault)}`)
    }
  }
  return board.claim({ max, prepare })
}

/** A lane whose own program is missing takes nothing, so that its cards wait instead of being blocked one by one. */
function holdFaultyLanes(loop: Loop): void {
  for (const name of Object.keys(loop.config.lanes)) {
    const says = findLaneFault(loop, name)
    if (says === undefined) continue
    if (loop.board.listTasks({ lane: name, status: ['ready'] }, { limit: 1 }).rows.length > 0)
      holdLane(loop, name, says)
  }
}

function carry(loop: Loop, { run, task }: Claim): OpenRun {
  const open = buildOpenRun(loop, run, task)
  loop.state.open.set(open.id, open)
  return open
}

async function startWithSecret(
  loop: Loop,
  lane: string,
  waiting: readonly { claim: Claim; open: OpenRun }[],
  { mayStart }: { readonly mayStart: () => boolean },
): Promise<void> {
  const read = await readLaneSecret(loop, lane).catch((fault) => ({ ok: false as const, says: String(fault) }))
  const opens = waiting.map(({ open }) => open)
  if (!mayStart()) return giveBack(loop, opens)
  if (read.ok)
    return launch(
      loop,
      waiting.map((one) => ({ ...one, secret: read.secret })),
    )
  recordUnstarted(
    loop,
    opens.map((open) => ({ open, fault: { says: read.says, fault: 'lane' } })),
  )
}

function launch(loop: Loop, ready: readonly ReadyClaim[]): void {
  for (const { open, secret } of ready) {
    open.redact = createRedactor(knownSecrets(loop, open.plan, secret?.value ?? null))
  }
  const faults = startRuns(loop, ready)
  for (const { open } of ready) if (open.phase === 'started') watchProbe(loop, open)
  recordUnstarted(loop, faults)
}

export function watchProbe(loop: Loop, open: OpenRun): void {
  if (!open.probe) return
  loop.clock.after(gateNumbers.probeAliveMs, open.over.signal, () => openAfterProbe(loop, open))
}

/** Back they go, whatever `rerun` says: nothing of them ever ran. */
export function giveBack(loop: Loop, opens: readonly OpenRun[]): void {
  record(
    loop,
    opens,
    opens.map((open) => planGivenBack(loop, open)),
  )
}

function recordUnstarted(loop: Loop, faults: readonly { open: OpenRun; fault: LaunchFault }[]): void {
  for (const { open, fault } of faults) if (fault.fault === 'lane') holdLane(loop, open.plan.lane, fault.says)
  record(
    loop,
    faults.map(({ open }) => open),
    faults.map(({ open, fault }) => planUnstarted(loop, open, fault)),
  )
}

function record(loop: Loop, opens: readonly OpenRun[], planned: readonly ReturnType<typeof planGivenBack>[]): void {
  if (opens.length === 0) return
  loop.board.recordExited(planned.map(({ exited }) => exited))
  loop.board.recordSettled(planned.map(({ settled }) => settled))
  for (const open of opens) {
    open.over.abort()
    loop.state.open.delete(open.id)
    if (open.batch !== null) loop.state.touched.add(open.batch)
  }
}
