import type { YardError } from '../kernel/index.ts'
import { findRepository, sayHead } from '../workspaces/index.ts'

export interface LookAround {
  /** Absolute. */
  readonly path: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** count: also how many files are changed or new there, which takes longer. */
  readonly uncommitted: 'count' | 'skip'
}

export type FoundAround =
  | {
      readonly kind: 'found'
      /** Top folder. */
      readonly repo: string
      /** Checked out there; undefined: none is. */
      readonly branch: string | undefined
      /** `main@4f1c2aa`. */
      readonly head: string
      /** Undefined where it was not asked or cannot be told. */
      readonly uncommittedFiles: number | undefined
    }
  | { readonly kind: 'none' }
  /** There is one, and git cannot work with it; or there is no git. */
  | { readonly kind: 'closed'; readonly error: YardError }

/** What git knows of the folder that a card is made in. Changes nothing. */
export async function lookAround({ path, env, uncommitted }: LookAround): Promise<FoundAround> {
  const found = await findRepository({ env, signal: new AbortController().signal }, { path, dirtyFiles: uncommitted })
  if (found.kind === 'closed') return { kind: 'closed', error: found.why.error }
  if (found.kind === 'none') return found
  const { top, branch, dirtyFiles } = found.repository
  return {
    kind: 'found',
    repo: top,
    branch: branch ?? undefined,
    head: sayHead(found.repository),
    uncommittedFiles: dirtyFiles ?? undefined,
  }
}
