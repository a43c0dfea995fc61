import type { AccountMemory } from './account-memory.ts'
import { byDispatcher, type YardDeps } from './deps.ts'
import type { DecidedEnd } from './end-runs.ts'
import { type AccountEvidence, type GateAct, planGate, sayGateAct } from './gates.ts'
import type { OpenRun } from './open-runs.ts'
import { ruleOf, saysWall } from './plan-next.ts'

/** Tells the gate of an account what an attempt under it met. */
export function applyEvidence(deps: YardDeps & { readonly accounts: AccountMemory }, decided: DecidedEnd): void {
  const { board, accounts, clock, random } = deps
  const { open } = decided
  const { account } = open.plan
  if (account === null) return
  const nowMs = clock.nowMs()
  const evidence = evidenceOf(decided)
  const act = planGate({ random }, { gate: board.readGate(account), evidence, bare: accounts.bareOf(account), nowMs })
  if (evidence.kind === 'bare') accounts.noteBare(account, { task: open.task, atMs: nowMs })
  if (evidence.served || decided.end.outcome === 'done') accounts.noteServed(account, { task: open.task, atMs: nowMs })
  if (act !== undefined) applyGateAct(deps, open, account, act)
}

function evidenceOf({ open, end, report }: DecidedEnd): AccountEvidence {
  return {
    run: open.id,
    task: open.task,
    startedAtMs: open.startedAtMs,
    probe: open.probe,
    kind: kindOf({ open, end }),
    says: report?.message ?? end.reason,
    retryAt: report?.retryAt ?? null,
    needsHuman: report?.needsHuman ?? null,
    served: report?.served ?? false,
  }
}

/** What ended before it could meet anything, or was ended by us, proves nothing either way. */
const tellsNothing: readonly string[] = ['cancelled', 'stopped', 'interrupted', 'lost', 'unknown', 'launch_failed']

function kindOf({ open, end }: Pick<DecidedEnd, 'open' | 'end'>): AccountEvidence['kind'] {
  if (saysWall(end, open.plan)) return 'wall'
  if (end.outcome === 'tempfail') return ruleOf(end, open.plan) === undefined ? 'bare' : 'cut'
  return tellsNothing.includes(end.outcome) ? 'cut' : 'none'
}

/**
 * A probe that lives on without meeting a limit is proof enough (design section 8: 60 s). One that is held proves nothing, but the
 * account must not wait for a person because of it: those that are let through first find out.
 */
export function openAfterProbe(deps: YardDeps, open: OpenRun): void {
  const { account } = open.plan
  if (account === null || deps.board.readGate(account)?.probeRun !== open.id) return
  const reason = open.held ? heldProbe : 'the probe works without meeting a limit'
  applyGateAct(deps, open, account, { do: 'open', reason })
}

const heldProbe = 'it cannot be told what became of the probe, so others try it'

function applyGateAct({ board, clock, log }: YardDeps, open: OpenRun, account: string, act: GateAct): void {
  log.info('account.gate', { account, run: open.id, says: sayGateAct(account, act, clock.nowMs()) })
  switch (act.do) {
    case 'close':
      board.closeGate({
        account,
        untilMs: act.untilMs,
        reason: act.reason,
        byRun: open.id,
        doublings: act.doublings,
      })
      break
    case 'park':
      board.parkGate({ account, reason: act.reason, byRun: open.id })
      break
    case 'open':
      board.openGate(account, act.reason, byDispatcher)
      break
  }
}
