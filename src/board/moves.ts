import type { TaskStatus } from './status.ts'

/** create: a new card. needs: what it waits for has ended or opened again. hold: a hold that needs a person, or its own end. */
export type MoveBy = 'create' | 'person' | 'needs' | 'claim' | 'end' | 'hold'

/** What a person can ask for; the verbs of API and CLI. */
export type Act = 'ready' | 'block' | 'unblock' | 'retry' | 'stop' | 'cancel' | 'approve' | 'reject'

/** needs_met: no need is open. needs_open: at least one is. */
export type Guard = 'needs_met' | 'needs_open'

export interface LawfulMove {
  readonly from: TaskStatus | 'new'
  readonly to: TaskStatus
  readonly by: MoveBy
  readonly guard?: Guard
  /** The person's verb that makes it. */
  readonly act?: Act
  readonly when: string
}

/**
 * Every lawful move of a card (design section 3). No other file knows them: the store checks each change against this
 * table, API and CLI ask it what they may offer, and docs/states.md shows it (a test keeps both equal).
 */
export const moves: readonly LawfulMove[] = [
  { from: 'new', to: 'triage', by: 'create', when: 'added as a draft' },
  { from: 'new', to: 'todo', by: 'create', guard: 'needs_open', when: 'added with open needs' },
  { from: 'new', to: 'ready', by: 'create', guard: 'needs_met', when: 'added and free to start' },
  { from: 'new', to: 'blocked', by: 'create', when: 'added and waiting for approval' },

  { from: 'triage', to: 'todo', by: 'person', guard: 'needs_open', act: 'ready', when: 'may start after its needs' },
  { from: 'triage', to: 'ready', by: 'person', guard: 'needs_met', act: 'ready', when: 'may start' },
  { from: 'todo', to: 'ready', by: 'needs', guard: 'needs_met', when: 'its last need ended, or the link went' },
  { from: 'ready', to: 'todo', by: 'needs', guard: 'needs_open', when: 'a need was added or opened again' },

  { from: 'ready', to: 'running', by: 'claim', guard: 'needs_met', when: 'claimed' },
  { from: 'review', to: 'running', by: 'claim', when: 'claimed by a reviewer lane' },

  { from: 'running', to: 'done', by: 'end', when: 'ended done' },
  { from: 'running', to: 'failed', by: 'end', when: 'failed for the last time' },
  { from: 'running', to: 'ready', by: 'end', guard: 'needs_met', when: 'goes back for another attempt' },
  { from: 'running', to: 'todo', by: 'end', guard: 'needs_open', when: 'goes back while a need is open' },
  { from: 'running', to: 'review', by: 'end', when: 'done and to be reviewed, or a review ended without a verdict' },
  { from: 'running', to: 'blocked', by: 'end', when: 'needs a person' },
  { from: 'running', to: 'cancelled', by: 'end', when: 'was cancelled' },

  { from: 'review', to: 'done', by: 'person', act: 'approve', when: 'approved' },
  { from: 'review', to: 'ready', by: 'person', guard: 'needs_met', act: 'reject', when: 'changes requested' },
  {
    from: 'review',
    to: 'todo',
    by: 'person',
    guard: 'needs_open',
    act: 'reject',
    when: 'changes requested, needs open',
  },

  ...(['triage', 'todo', 'ready', 'review'] as const).flatMap((from): LawfulMove[] => [
    { from, to: 'blocked', by: 'person', act: 'block', when: 'a person blocks it' },
    { from, to: 'blocked', by: 'hold', when: 'a hold needs a person' },
  ]),
  ...(['person', 'hold'] as const).flatMap((by): LawfulMove[] => {
    const act: { act?: Act } = by === 'person' ? { act: 'unblock' } : {}
    const when = by === 'person' ? 'a person unblocks or answers it' : 'the hold ends by itself'
    return [
      { from: 'blocked', to: 'ready', by, guard: 'needs_met', ...act, when },
      { from: 'blocked', to: 'todo', by, guard: 'needs_open', ...act, when },
      { from: 'blocked', to: 'review', by, ...act, when },
    ]
  }),

  ...(['triage', 'todo', 'ready', 'review', 'blocked'] as const).map(
    (from): LawfulMove => ({ from, to: 'cancelled', by: 'person', act: 'cancel', when: 'a person cancels it' }),
  ),
  ...(['done', 'failed', 'cancelled'] as const).flatMap((from): LawfulMove[] => [
    { from, to: 'ready', by: 'person', guard: 'needs_met', act: 'retry', when: 'a person opens it again' },
    { from, to: 'todo', by: 'person', guard: 'needs_open', act: 'retry', when: 'a person opens it again, needs open' },
  ]),
]

/** Whether the table allows it for a card with so many open needs (as they are after the move). */
export function isLawful(move: {
  readonly from: TaskStatus | 'new'
  readonly to: TaskStatus
  readonly by: MoveBy
  readonly openNeeds: number
}): boolean {
  return moves.some(
    ({ from, to, by, guard }) => from === move.from && to === move.to && by === move.by && isMet(guard, move.openNeeds),
  )
}

function isMet(guard: Guard | undefined, openNeeds: number): boolean {
  if (guard === undefined) return true
  return guard === 'needs_met' ? openNeeds === 0 : openNeeds > 0
}

/** What a person may ask for while a card stands there, in the order of the table. */
export function movesFrom(status: TaskStatus): readonly Act[] {
  // Not moves but wishes: they are applied when the attempt has ended, because its processes end first.
  if (status === 'running') return ['stop', 'cancel']
  const acts = moves.filter(({ from, by, act }) => from === status && by === 'person' && act !== undefined)
  const also: readonly Act[] = status === 'blocked' ? ['retry'] : []
  return [...new Set([...acts.map(({ act }) => act as Act), ...also])]
}
