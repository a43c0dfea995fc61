import type * as FileSystem from 'node:fs'

/** Where the writer works, and how much it keeps: the beginning, and two parts of the end. */
export interface PipedInput {
  readonly runDir: string
  readonly headBytes: number
  readonly partBytes: number
  /** Comes behind all that the worker has written, from whoever has seen its end; no part of the log. */
  readonly endMark: string
}

/** What the writer is given instead of imports; see `writePiped`. */
export interface PipedDeps {
  readonly fs: typeof FileSystem
  /** Waits without doing anything else. */
  readonly pause: (ms: number) => void
}

/**
 * The writer of `log: piped`: takes everything from its standard input and keeps the beginning and the end of it in the
 * files of the run, exactly. Removes the name of the pipe as soon as all that came before the mark is written, and returns
 * when nobody holds the other end of the pipe any more.
 *
 * It runs in a process of its own that is given this function as text (`pipe-log.ts`), so that no file has to be found or
 * trusted: it may use nothing but its two parameters.
 *
 * The beginning goes to `output.log`, what follows to `output.tail.1`, `.2`, and so on, each of `partBytes`; when one is
 * full the one before the last is removed. Where there is no room on the disk it waits, and with it the worker; where a
 * file cannot be had for good (the directory is gone, and is not made again) it takes the rest and drops it, so that
 * the worker does not die of a closed pipe.
 */
export function writePiped({ fs, pause }: PipedDeps, { runDir, headBytes, partBytes, endMark }: PipedInput): void {
  const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_DIRECTORY } = fs.constants
  const shortages = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']
  const shortageMs = 100
  const directory = `/proc/self/fd/${fs.openSync(runDir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)}`
  const buffer = Buffer.allocUnsafe(65_536)
  const mark = Buffer.from(endMark)
  let descriptor = fs.openSync(`${directory}/output.log`, O_WRONLY | O_APPEND | O_NOFOLLOW)
  let fileBytes = fs.fstatSync(descriptor).size
  /** 0 while the beginning is written. */
  let part = 0
  let isLost = false

  /** Bytes at the beginning of the buffer that may be the first ones of the mark. */
  let held = 0
  let hasEnded = false

  for (let taken = take(); taken > 0; taken = take()) {
    const end = held + taken
    const at = hasEnded ? -1 : buffer.subarray(0, end).indexOf(mark)
    if (at >= 0) {
      keep(0, at)
      tellAll()
      hasEnded = true
      keep(at + mark.length, end) // of what the worker has left
      held = 0
    } else {
      held = hasEnded ? 0 : beginningOfMark(end)
      keep(0, end - held)
      buffer.copyWithin(0, end - held, end)
    }
  }
  keep(0, held)
  tellAll()

  function tellAll(): void {
    fs.rmSync(`${directory}/output.pipe`, { force: true })
  }

  function take(): number {
    return patiently(() => fs.readSync(0, buffer, held, buffer.length - held, null)) ?? 0
  }

  /** How many of the last bytes before `end` the mark may begin with. */
  function beginningOfMark(end: number): number {
    let length = Math.min(mark.length - 1, end)
    while (length > 0 && !buffer.subarray(end - length, end).equals(mark.subarray(0, length))) length -= 1
    return length
  }

  function keep(from: number, to: number): void {
    for (let done = from; done < to && !isLost; ) done += put(done, to)
  }

  /** Writes some of what was taken; answers how much. */
  function put(from: number, to: number): number {
    const roomBytes = (part === 0 ? headBytes : partBytes) - fileBytes
    if (roomBytes <= 0) {
      goOn()
      return 0
    }
    const length = Math.min(roomBytes, to - from)
    const written = patiently(() => fs.writeSync(descriptor, buffer, from, length))
    if (written === undefined) isLost = true
    else fileBytes += written
    return written ?? 0
  }

  /** Begins the next part. On record first: a file that is not there yet reads as an empty one. */
  function goOn(): void {
    const next = part + 1
    const opened = patiently(() => {
      record(next)
      fs.rmSync(`${directory}/output.tail.${next - 2}`, { force: true })
      const flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW
      return fs.openSync(`${directory}/output.tail.${next}`, flags, 0o600)
    })
    if (opened === undefined) {
      isLost = true
      return
    }
    fs.closeSync(descriptor)
    descriptor = opened
    fileBytes = 0
    part = next
  }

  /** The beginning, the part that is full now, and the one that follows: as in `LogPart`. */
  function record(next: number): void {
    const startOf = (number: number) => headBytes + (number - 1) * partBytes
    const head = { file: 'output.log', at: 0, from: 0, to: headBytes }
    const full = { file: `output.tail.${next - 1}`, at: 0, from: startOf(next - 1), to: startOf(next), gap: 'limit' }
    const open = { file: `output.tail.${next}`, at: 0, from: startOf(next), to: null, gap: 'limit' }
    const parts = next === 1 ? [head, open] : [head, full, open]
    fs.writeFileSync(`${directory}/output.parts.new`, `${JSON.stringify({ schema: 1, parts })}\n`, { mode: 0o600 })
    fs.renameSync(`${directory}/output.parts.new`, `${directory}/output.parts`)
  }

  /** Undefined when it cannot be done at all. */
  function patiently<T>(act: () => T): T | undefined {
    for (;;) {
      try {
        return act()
      } catch (fault) {
        if (!shortages.includes((fault as NodeJS.ErrnoException).code ?? '')) return undefined
        pause(shortageMs)
      }
    }
  }
}
