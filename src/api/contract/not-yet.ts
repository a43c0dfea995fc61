import { strict } from '../../kernel/config/index.ts'

/**
 * Fields and values that files-and-cli.md promises and a later part brings. They are refused by name, because a
 * field that is accepted and ignored is a lie (C137). The one table of them: the API, the command line and the
 * batch file all read it. When a part lands, its rows move from here into the schemas.
 */
export const notYet = {
  /** Of a task and of a batch's `defaults`. */
  task: ['takes', 'approve', 'attachments'],
  /** Of a batch's `limits`. */
  limits: ['budget'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Options of an object schema that refuses unknown fields, and those of `where` as not available yet. */
export function strictObject(where?: keyof typeof notYet) {
  return strict(where === undefined ? [] : notYet[where])
}
