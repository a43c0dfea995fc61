import type { FileRegister, Seen } from './file-register.ts'

/** Why a file may not be written over: its text is not the one that was read. Undefined where it is. */
export function sayChanged(register: FileRegister, path: string, now: Seen): string | undefined {
  const last = register.lastSeen(path)
  if (last === undefined || !register.isKnown(path))
    return 'is there and was not read: read it first, so that nothing in it is lost'
  return last.hash === now.hash ? undefined : sayOther(last, now)
}

/** The same for an edit, which proves by what it looks for that its file is known, if it was never read. */
export function sayChangedIfRead(register: FileRegister, path: string, now: Seen): string | undefined {
  const last = register.lastSeen(path)
  return last === undefined || last.hash === now.hash ? undefined : sayOther(last, now)
}

const sayOther = (last: Seen, now: Seen): string =>
  `was changed since you read it, by a command or by somebody else (${last.bytes} bytes then, ${now.bytes} now): read it again`
