import type { WorkspaceDeps } from '../../workspaces/index.ts'
import type { YardDeps } from '../deps.ts'
import { findDeathSignal } from '../supervisor/index.ts'

/** What a step hands to whatever makes, reads or cleans worktrees: it ends with the signal. */
export type DepsOfStep = (signal: AbortSignal) => Promise<WorkspaceDeps>

/**
 * No git outlives a hub that is killed: the next one may work in the same folders at once. What ends it is looked for at the first
 * git, since a hub without worktrees needs none.
 */
export function workspaceDeps({ home, program, env, clock, random }: YardDeps): DepsOfStep {
  let found: Promise<readonly string[]> | undefined
  return async (signal) => {
    found ??= findDeathSignal()
    return { home, program, env, clock, random, signal, wrapper: await found }
  }
}
