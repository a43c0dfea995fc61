import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from '../../../../kernel/index.ts'
import { largestReadBytes } from '../../files/file-deps.ts'

/** How much all outputs of one worker may take on the disk together; each takes its own of it. */
export interface SpillRoom {
  leftBytes: number
}

/** The whole output of one command in a file of its own, as far as it is worth keeping and the disk takes it. */
export class SpillFile {
  readonly path: string
  readonly #mostBytes: number
  readonly #room: SpillRoom
  #descriptor: number | undefined
  #bytes = 0
  #end: 'open' | 'full' | 'closed' | 'failed' = 'open'
  #fault = ''

  /** The file is made with its first bytes, and its folder with it; readable for nobody else. */
  constructor({
    path,
    mostBytes,
    room,
  }: { readonly path: string; readonly mostBytes: number; readonly room: SpillRoom }) {
    this.path = path
    this.#room = room
    this.#mostBytes = mostBytes
  }

  /** Written at once, so that a fast command can fill no queue of ours. A fault is kept for `describe`. */
  write(bytes: Buffer): void {
    if (this.#end !== 'open') return
    try {
      if (this.#descriptor === undefined) {
        makeFolder(dirname(this.path), 0o700)
        rmSync(this.path, { force: true }) // of another worker that was told to leave its report in the same place
        this.#descriptor = openSync(this.path, 'wx', 0o600)
      }
      const fitting = bytes.subarray(0, Math.min(this.#mostBytes - this.#bytes, this.#room.leftBytes))
      for (let done = 0; done < fitting.byteLength; ) done += writeSync(this.#descriptor, fitting, done)
      this.#bytes += fitting.byteLength
      this.#room.leftBytes -= fitting.byteLength
      if (fitting.byteLength < bytes.byteLength) this.#finish('full')
    } catch (fault) {
      this.#fault = (fault as NodeJS.ErrnoException).code ?? String(fault)
      this.#finish('failed')
    }
  }

  close(): void {
    if (this.#end === 'open') this.#finish('closed')
  }

  /** For the model: where the output is, and how much of it. */
  describe(totalBytes: number): string {
    const isSmall = this.#bytes <= largestReadBytes
    const looks = isSmall ? 'read and search can look into it' : 'too large for read, look into it in the terminal'
    if (this.#end === 'failed') return `the whole output could not be kept (${this.#fault}); run it again with less`
    if (this.#bytes === 0) return 'the whole output was not kept: too much was printed before'
    return this.#bytes < totalBytes
      ? `its first ${this.#bytes} bytes are in ${this.path}: ${looks}`
      : `the whole output is in ${this.path}: ${looks}`
  }

  #finish(end: 'full' | 'closed' | 'failed'): void {
    this.#end = end
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }
}
