import Type, { type Static } from 'typebox'
import { strictObject } from './not-yet.ts'

/**
 * `tasks`: whose workspaces; all without it. `when`: `kept_over` (the default) takes what is past its time (`keep`) and safe
 * elsewhere; `now` takes the named tasks at once, and stores first what is nowhere else. `dry_run`: only tell.
 */
export const CleanBody = Type.Object(
  {
    tasks: Type.Optional(Type.Array(Type.Integer({ minimum: 1 }), { minItems: 1, maxItems: 1_000 })),
    when: Type.Optional(Type.Enum(['kept_over', 'now'])),
    dry_run: Type.Optional(Type.Boolean()),
  },
  strictObject(),
)
export type CleanBody = Static<typeof CleanBody>

/** What became of one workspace, or would. */
export interface CleanedView {
  /** Null: a folder that bears no name of ours. */
  readonly task: number | null
  readonly folder: string
  /** foreign: not made by us. gone: only what we know of it is left. */
  readonly kind: 'scratch' | 'worktree' | 'foreign' | 'gone'
  /** On the disk. */
  readonly bytes: number | null
  readonly done: 'removed' | 'would_go' | 'stays'
  /** A code for why it stays; null where it goes. */
  readonly because: string | null
  readonly says: string
  readonly branch: { readonly name: string; readonly is: 'kept' | 'removed' } | null
  /** What was stored before it went: an attachment of the task. */
  readonly patch: { readonly id: number; readonly name: string; readonly bytes: number } | null
}

export interface CleanView {
  readonly workspaces: readonly CleanedView[]
}
