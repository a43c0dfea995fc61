const firstBytes = 8_192

/** The last bytes of a stream of any length, in constant memory. Each byte keeps its place in the whole stream. */
export class ByteRing {
  readonly #mostBytes: number
  #buffer = Buffer.allocUnsafe(0)
  #total = 0

  constructor({ mostBytes }: { readonly mostBytes: number }) {
    this.#mostBytes = mostBytes
  }

  /** Bytes that were ever added. */
  get total(): number {
    return this.#total
  }

  /** Place of the first byte that is still kept. */
  get first(): number {
    return Math.max(0, this.#total - this.#mostBytes)
  }

  add(chunk: Buffer): void {
    this.#makeRoom(this.#total + chunk.byteLength)
    const kept = chunk.subarray(-this.#mostBytes)
    const from = this.#total + chunk.byteLength - kept.byteLength
    const size = this.#buffer.byteLength
    const at = size === 0 ? 0 : from % size
    const copied = kept.copy(this.#buffer, at)
    if (copied < kept.byteLength) kept.copy(this.#buffer, 0, copied)
    this.#total += chunk.byteLength
  }

  /** The bytes of these places, as far as they are kept. */
  read(from: number, to: number): Buffer {
    const begin = Math.max(from, this.first)
    const end = Math.min(to, this.#total)
    if (begin >= end) return Buffer.alloc(0)
    const size = this.#buffer.byteLength
    const at = begin % size
    const whole = Buffer.from(this.#buffer.subarray(at, at + end - begin))
    const missing = end - begin - whole.byteLength
    return missing === 0 ? whole : Buffer.concat([whole, this.#buffer.subarray(0, missing)])
  }

  /** Grows by doubling up to its full size: a command that prints a line needs no 200 kB. Nothing has wrapped until then. */
  #makeRoom(total: number): void {
    const size = this.#buffer.byteLength
    if (size >= this.#mostBytes || total <= size) return
    const wanted = Math.min(this.#mostBytes, Math.max(firstBytes, total, 2 * size))
    const larger = Buffer.allocUnsafe(wanted)
    this.#buffer.copy(larger, 0, 0, this.#total)
    this.#buffer = larger
  }
}
