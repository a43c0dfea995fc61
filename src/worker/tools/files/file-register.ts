/** What is known of a file from the last time that its text was read or written here. */
export interface Seen {
  readonly hash: string
  readonly bytes: number
}

export interface Written {
  /** Hash of the text that it stands in place of; undefined: there was none. */
  readonly over: string | undefined
  readonly what: 'whole' | 'part'
}

/**
 * What the tools of one worker know of the files they have looked at: made once, handed to all of them. Keys are real
 * paths. By it a write over what somebody else has changed is refused, and edits in a circle are noticed.
 */
export interface FileRegister {
  lastSeen(path: string): Seen | undefined
  /** Whether it was read, or written whole; an edit of a part shows nothing of the rest. */
  isKnown(path: string): boolean
  /**
   * Notes a look at a part of a file. `same`: that very part of that very text was the last answer, so it need not be
   * sent again. Only once: whoever asks a third time has lost it (a long conversation is cut), and gets all of it.
   */
  noteRead(path: string, seen: Seen, part: string): 'new' | 'same'
  /** Notes what was written. `undone`: the file has held this very text earlier, so edits run in a circle. */
  noteWritten(path: string, seen: Seen, written: Written): 'new' | 'undone'
  noteGone(path: string): void
  /** One more edit of this file that did not fit. Reading or changing it makes the number 0 again. */
  noteMisfit(path: string): void
  misfitsOf(path: string): number
}

interface Entry {
  seen: Seen | undefined
  isKnown: boolean
  readonly parts: Map<string, string>
  hashes: string[]
  misfits: number
}

/** As many earlier texts of a file as are compared. */
const mostHashes = 50
const mostParts = 200

/** A register that knows nothing yet. */
export function createFileRegister(): FileRegister {
  const entries = new Map<string, Entry>()
  const entryOf = (path: string): Entry => {
    const entry = entries.get(path) ?? { seen: undefined, isKnown: false, parts: new Map(), hashes: [], misfits: 0 }
    entries.set(path, entry)
    return entry
  }
  return {
    lastSeen: (path) => entries.get(path)?.seen,
    isKnown: (path) => entries.get(path)?.isKnown === true,
    noteRead(path, seen, part) {
      const entry = entryOf(path)
      const same = entry.parts.get(part) === seen.hash && entry.misfits === 0
      entry.seen = seen
      entry.isKnown = true
      entry.misfits = 0
      if (same || entry.parts.size > mostParts) entry.parts.clear()
      if (!same) entry.parts.set(part, seen.hash)
      return same ? 'same' : 'new'
    },
    noteWritten(path, seen, { over, what }) {
      const entry = entryOf(path)
      const earlier = over === undefined || entry.hashes.at(-1) === over ? entry.hashes : [...entry.hashes, over]
      const undone = seen.hash !== over && earlier.includes(seen.hash)
      entry.hashes = [...earlier, seen.hash].slice(-mostHashes)
      entry.seen = seen
      entry.isKnown ||= what === 'whole' || over === undefined
      entry.misfits = 0
      return undone ? 'undone' : 'new'
    },
    noteGone: (path) => entries.delete(path),
    noteMisfit(path) {
      entryOf(path).misfits += 1
    },
    misfitsOf: (path) => entries.get(path)?.misfits ?? 0,
  }
}
