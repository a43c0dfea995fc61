import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'

/** Behind the name of the program, which may hold anything: where environment and its end are (proc(5), fields 50 and 51). */
const fieldsBefore = 2
const startField = 50
const mostBytes = 4 * 2 ** 20

/**
 * Makes empty, in what the system shows of this process for as long as it lives (`/proc/PID/environ`), the variables of these
 * names and all that hold one of these values. To take a variable out of `process.env` leaves it there, and every command that
 * runs as the same user may read it. Where the system has no such memory, nothing is done.
 */
export function eraseEnvironment({
  names,
  values,
}: {
  readonly names: readonly string[]
  readonly values: readonly (string | undefined)[]
}): void {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const start = Number(fields[startField - fieldsBefore - 1])
    const end = Number(fields[startField - fieldsBefore])
    if (!(start > 0 && end > start && end - start <= mostBytes)) return
    eraseBetween({ start, end }, { names: new Set(names), values: values.filter((value) => value !== undefined) })
  } catch {
    // no /proc, or memory that even its owner may not write: a command could read it, as docs/chat.md says
  }
}

function eraseBetween(
  { start, end }: { readonly start: number; readonly end: number },
  { names, values }: { readonly names: ReadonlySet<string>; readonly values: readonly string[] },
): void {
  const memory = openSync('/proc/self/mem', 'r+')
  try {
    const bytes = Buffer.alloc(end - start)
    const read = readSync(memory, bytes, 0, bytes.byteLength, start)
    const secret = values.filter((value) => value !== '').map((value) => Buffer.from(value))
    for (let at = 0; at < read; ) {
      const zero = bytes.indexOf(0, at)
      const behind = zero === -1 ? read : zero
      const entry = bytes.subarray(at, behind)
      const equals = entry.indexOf('=')
      const isMeant = names.has(entry.toString('utf8', 0, equals)) || secret.some((value) => entry.includes(value))
      if (equals !== -1 && isMeant)
        writeSync(memory, Buffer.alloc(entry.byteLength - equals - 1), 0, undefined, at + start + equals + 1)
      at = behind + 1
    }
  } finally {
    closeSync(memory)
  }
}
