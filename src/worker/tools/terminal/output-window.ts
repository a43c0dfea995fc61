/**
 * The first and the last part of an output of any length, in constant memory. Two fifths of the room are for the head,
 * where the cause often stands, the rest for the tail, where the result does (worker-facts c.1, c.11).
 */
export class OutputWindow {
  readonly #headBytes: number
  readonly #tailBytes: number
  #head: Buffer[] = []
  #headFilled = 0
  #tail: Buffer[] = []
  #tailFilled = 0
  #totalBytes = 0

  constructor({ bytes }: { readonly bytes: number }) {
    this.#headBytes = Math.floor(bytes * 0.4)
    this.#tailBytes = bytes - this.#headBytes
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.byteLength
    const forHead = chunk.subarray(0, this.#headBytes - this.#headFilled)
    if (forHead.byteLength > 0) this.#head.push(Buffer.from(forHead)) // a copy: a slice would keep the whole chunk alive
    this.#headFilled += forHead.byteLength
    this.#addToTail(chunk.subarray(forHead.byteLength))
  }

  /** The kept text; a cut is named where it is. Bytes that are no UTF-8 and control characters are shown as such. */
  text(): string {
    const tail = Buffer.concat(this.#tail).subarray(-this.#tailBytes)
    const cutBytes = this.#totalBytes - this.#headFilled - tail.byteLength
    const head = Buffer.concat(this.#head)
    if (cutBytes === 0) return printable(Buffer.concat([head, tail]).toString('utf8'))
    return `${printable(head.toString('utf8'))}\n[… ${cutBytes} bytes left out here …]\n${printable(tail.toString('utf8'))}`
  }

  #addToTail(rest: Buffer): void {
    if (rest.byteLength === 0) return
    this.#tail.push(Buffer.from(rest.subarray(-this.#tailBytes)))
    this.#tailFilled += Math.min(rest.byteLength, this.#tailBytes)
    while (this.#tailFilled - (this.#tail[0]?.byteLength ?? 0) >= this.#tailBytes) {
      this.#tailFilled -= this.#tail.shift()?.byteLength ?? 0
    }
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for
const terminalColours = /\u001b\[[0-9;?]{0,20}[A-Za-z]/g
const controlCharacters = /[^\P{Cc}\n\r\t]/gu

/** Terminal colours go, other control characters become visible: some servers refuse them, no model needs them. */
function printable(text: string): string {
  return text
    .replace(terminalColours, '')
    .replace(controlCharacters, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
