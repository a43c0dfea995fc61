import type { Move } from './run-steps.ts'

/**
 * Where a card goes when a person has wished something while it ran: one that is not done does not go back (design
 * section 4, rule 1). Cancelled overrules every other end; stopped only keeps it from starting again by itself.
 */
export function applyWish(
  move: Move,
  wish: { readonly kind: 'stop' | 'cancel'; readonly by: string; readonly text: string | null } | null,
): Move {
  if (wish === null || move.to === 'done' || move.to === 'approved') return move
  const why = wish.text === null ? '' : `: ${wish.text}`
  if (wish.kind === 'cancel') return { to: 'cancelled', text: `cancelled by ${wish.by}${why}` }
  if (!startsAgain(move)) return move
  return { to: 'blocked', code: 'stopped', text: `stopped by ${wish.by}${why}` }
}

/** Whether another attempt would begin by itself: the author's, or the reviewer's. */
function startsAgain(move: Move): boolean {
  if (move.to === 'review') return (move.lane ?? null) !== null
  return move.to === 'back' || move.to === 'rejected'
}
