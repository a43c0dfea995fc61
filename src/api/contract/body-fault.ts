/** One thing wrong with a body: where, what, and how to mend it. `path` is `tasks[3].timeout`; empty: the whole. */
export interface BodyFault {
  readonly path: string
  readonly says: string
  readonly fix: string
}
