import type { FileRegister, Seen, Written } from './file-register.ts'

/** Files in which comments are allowed although their name says JSON. */
const commentsAllowed =
  /(^|\/)((ts|js)config[^/]*|\.eslintrc|\.babelrc|devcontainer|\.swcrc|launch|settings|tasks)\.json$/i

/** What a change made of a file's state, for the model to know at once: warnings, and what the counters get. */
export interface ChangeNotes {
  readonly warnings: readonly string[]
  readonly counts: readonly string[]
}

/** Notes a file that was written, and says what is odd about it: edits that undo each other, JSON that no longer parses. */
export function noteChange(
  register: FileRegister,
  written: {
    readonly path: string
    readonly shown: string
    readonly seen: Seen
    readonly text: string
    readonly what: Written['what']
    /** Undefined: a new file. */
    readonly before: { readonly hash: string; readonly text: string } | undefined
  },
): ChangeNotes {
  const { path, shown, seen, text, what, before } = written
  const undone = register.noteWritten(path, seen, { over: before?.hash, what }) === 'undone'
  const fault = jsonFault(shown, text)
  const broken = fault !== undefined && (before === undefined || jsonFault(shown, before.text) === undefined)
  return {
    warnings: [
      ...(undone ? [`${shown} holds a text again that it held before: your edits undo each other`] : []),
      ...(broken ? [`${shown} is no valid JSON now: ${fault}`] : []),
    ],
    counts: [...(undone ? ['edit_undone'] : []), ...(broken ? ['edit_bad_syntax'] : [])],
  }
}

function jsonFault(shown: string, text: string): string | undefined {
  if (!/\.json$/i.test(shown) || commentsAllowed.test(shown)) return undefined
  try {
    JSON.parse(text)
    return undefined
  } catch (fault) {
    return (fault as Error).message.slice(0, 200)
  }
}
