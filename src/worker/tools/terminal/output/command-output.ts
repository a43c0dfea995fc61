import { type ByteMask, createByteMask } from './byte-mask.ts'
import { ByteRing } from './byte-ring.ts'
import { bytesOfFirst, bytesOfLast } from './count-chars.ts'
import { createColourFilter } from './drop-colours.ts'
import { printable } from './printable.ts'
import { SpillFile, type SpillRoom } from './spill-file.ts'

/** What a model reads of one output at once; two fifths are its head, where the cause often stands (worker-facts c.11). */
export const mostShownChars = 30_000
const headChars = mostShownChars * 0.4
const tailChars = mostShownChars - headChars
const longestCharBytes = 4
/** Of each output in memory: the last bytes, which can be looked at later. */
const keptBytes = 200_000
const mostSpilledBytes = 64 * 2 ** 20

/**
 * What one command prints, of any length, in constant memory: its first and its last bytes, and all of it in a file as soon
 * as it is more than a model reads at once. Colours go and known secrets are masked before anything is kept.
 */
export class CommandOutput {
  readonly #masks: { readonly stdout: ByteMask; readonly stderr: ByteMask }
  readonly #colours = { stdout: createColourFilter(), stderr: createColourFilter() }
  readonly #ring = new ByteRing({ mostBytes: keptBytes })
  readonly #spill: SpillFile
  #head: Buffer[] = []
  #headBytes = 0
  #rawBytes = 0
  #looked = 0

  constructor({
    knownSecrets,
    spillPath,
    room,
  }: { readonly knownSecrets: readonly string[]; readonly spillPath: string; readonly room: SpillRoom }) {
    this.#masks = { stdout: createByteMask(knownSecrets), stderr: createByteMask(knownSecrets) }
    this.#spill = new SpillFile({ path: spillPath, mostBytes: mostSpilledBytes, room })
  }

  /** Bytes that the command has printed. */
  get rawBytes(): number {
    return this.#rawBytes
  }

  /** Bytes that can be shown of it, secrets masked. */
  get shownBytes(): number {
    return this.#ring.total
  }

  /** Whether something came since the last look. */
  get hasNews(): boolean {
    return this.#ring.total > this.#looked
  }

  add(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    this.#rawBytes += chunk.byteLength
    this.#keep(this.#masks[stream].push(this.#colours[stream].push(chunk)))
  }

  /** Nothing more comes. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#keep(this.#masks[stream].push(this.#colours[stream].end()))
      this.#keep(this.#masks[stream].end())
    }
    this.#spill.close()
  }

  /** All of it, cut in the middle where it is too long. */
  whole(): string {
    this.#looked = this.#ring.total
    return this.#show(0, this.#ring.total)
  }

  /** What came since the last look, cut in the middle where it is too long. */
  sinceLook(): string {
    const from = this.#looked
    this.#looked = this.#ring.total
    return this.#show(from, this.#ring.total)
  }

  /** A stretch of it, as far as it is kept in memory; without `from` its end. Not a look. */
  stretch({ from, bytes }: { readonly from: number | undefined; readonly bytes: number }): {
    readonly text: string
    readonly from: number
    readonly to: number
  } {
    const total = this.#ring.total
    const wanted = Math.min(from ?? total - bytes, total)
    const first = Math.max(wanted < this.#headBytes ? 0 : this.#ring.first, wanted)
    const read = this.#read(first, first + bytes)
    const shown = read.subarray(0, bytesOfFirst(read, mostShownChars))
    return { text: printable(shown), from: first, to: first + shown.byteLength }
  }

  /** Where the whole of it is, when it is more than can be shown at once. */
  describeSpill(): string | undefined {
    return this.#isSpilled && !this.#isShort ? this.#spill.describe(this.#ring.total) : undefined
  }

  /** Bytes are quicker to count than characters: the file may come before it is needed. */
  get #isSpilled(): boolean {
    return this.#ring.total > mostShownChars
  }

  get #isShort(): boolean {
    const total = this.#ring.total
    return total <= mostShownChars * longestCharBytes && bytesOfFirst(this.#read(0, total), mostShownChars) === total
  }

  #keep(bytes: Buffer): void {
    if (bytes.byteLength === 0) return
    const wasSpilled = this.#isSpilled
    const earlier = wasSpilled ? undefined : this.#ring.total
    this.#addToHead(bytes)
    this.#ring.add(bytes)
    if (!this.#isSpilled) return
    if (earlier !== undefined && earlier > 0) this.#spill.write(Buffer.concat(this.#head).subarray(0, earlier))
    this.#spill.write(bytes)
  }

  #addToHead(bytes: Buffer): void {
    const part = bytes.subarray(0, headChars * longestCharBytes - this.#headBytes)
    if (part.byteLength === 0) return
    this.#head.push(Buffer.from(part)) // a copy: a slice would keep the whole chunk alive
    this.#headBytes += part.byteLength
  }

  #show(from: number, to: number): string {
    const first = this.#read(from, Math.min(to, from + mostShownChars * longestCharBytes))
    if (first.byteLength === to - from && bytesOfFirst(first, mostShownChars) === first.byteLength)
      return printable(first)
    const head = first.subarray(0, bytesOfFirst(first, headChars))
    const last = this.#read(Math.max(from + head.byteLength, to - tailChars * longestCharBytes), to)
    const tail = last.subarray(last.byteLength - bytesOfLast(last, tailChars))
    const cutBytes = to - from - head.byteLength - tail.byteLength
    return `${printable(head)}\n[… ${cutBytes} bytes left out here …]\n${printable(tail)}`
  }

  /** Bytes from `from` on without a gap, as far as they are kept; none where they are not. */
  #read(from: number, to: number): Buffer {
    if (from >= this.#ring.first) return this.#ring.read(from, to)
    if (from >= this.#headBytes) return Buffer.alloc(0)
    const head = Buffer.concat(this.#head).subarray(from, to)
    this.#head = [Buffer.concat(this.#head)]
    return from + head.byteLength >= this.#ring.first && from + head.byteLength < to
      ? Buffer.concat([head, this.#ring.read(from + head.byteLength, to)])
      : head
  }
}
