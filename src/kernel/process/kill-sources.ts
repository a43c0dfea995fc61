/**
 * Who may have a signal sent, and what it means for processes that a task declared as kept (`keeps: true`: what it leaves
 * may live on). Every signal to a run names one of these; there is no other way to send one.
 */
export const killPolicy = {
  person: { kept: 'ended', why: 'whoever stops or cancels a task wants nothing of it left' },
  shutdown: { kept: 'ended', why: 'the yard goes down with its work, and nobody would look after them' },
  limit: { kept: 'left', why: 'time, silence, memory and budget are limits of the work, not of what it set up' },
  batch: { kept: 'left', why: 'the time of a batch is a limit like any other' },
  sweep: { kept: 'left', why: 'looking for left-overs is what the task asked to be spared from' },
  restart: { kept: 'left', why: 'another hub goes on with this yard, and with what its tasks had set up' },
  tool: { kept: 'ended', why: 'an agent that ends a command of its own ends all that this command started' },
  linger: { kept: 'left', why: 'the attempt said that it is done; what it keeps may be its very result' },
} as const satisfies Readonly<Record<string, { readonly kept: 'ended' | 'left'; readonly why: string }>>

/** Why a tree is ended, as far as policy asks. */
export type KillSource = keyof typeof killPolicy

/** Whether an act of this source ends kept processes too. */
export function reachesKept(source: KillSource): boolean {
  return killPolicy[source].kept === 'ended'
}
