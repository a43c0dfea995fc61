/** Of an event that is longer nothing is held back to be looked at. */
const mostBytes = 64 * 1024

/**
 * The end of a stream of events. Some servers close without the empty line that would end their last event, which the SDK
 * then throws away: mostly the one with the finish reason.
 */
export class LastEvent {
  readonly #chunks: Uint8Array[] = []
  #bytes = 0

  heard(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.byteLength
    for (let first = this.#chunks[0]; first !== undefined && this.#bytes - first.byteLength >= mostBytes; ) {
      this.#bytes -= first.byteLength
      this.#chunks.shift()
      first = this.#chunks[0]
    }
  }

  /** It is all there but for its end. One that was cut in the middle is not. */
  lacksOnlyItsEnd(): boolean {
    const text = Buffer.concat(this.#chunks).subarray(-mostBytes).toString('utf8')
    const event = text.split(/\r\n\r\n|\n\n|\r\r/).at(-1) ?? ''
    const data = event.split(/[\r\n]+/).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
    try {
      return data.length > 0 && JSON.parse(data.join('\n')) !== undefined
    } catch {
      return false
    }
  }
}
