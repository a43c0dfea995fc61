/**
 * Small stand-ins for the web classes that the SDK reaches for. The real ones come with undici, whose first touch costs
 * more than the whole start of a worker on Node 20 (its HTTP parser is WebAssembly, compiled at the first use). Only
 * what the SDK uses is here; nothing else in the worker may rely on them.
 */

export class LightHeaders {
  readonly #values = new Map<string, string>()

  constructor(init: Iterable<readonly [string, string]> = []) {
    for (const [name, value] of init) this.append(name, value)
  }
  append(name: string, value: string): void {
    const before = this.get(name)
    this.set(name, before === null ? value : `${before}, ${value}`)
  }
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), String(value))
  }
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }
  delete(name: string): void {
    this.#values.delete(name.toLowerCase())
  }
  entries(): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries()
  }
}

export class LightResponse {
  readonly status: number
  readonly statusText: string
  readonly headers: LightHeaders
  readonly url: string
  /** The SDK iterates over it; it needs no stream class. */
  readonly body: AsyncIterable<Uint8Array>

  constructor(init: {
    status: number
    statusText: string
    headers: LightHeaders
    url: string
    body: AsyncIterable<Uint8Array>
  }) {
    this.status = init.status
    this.statusText = init.statusText
    this.headers = init.headers
    this.url = init.url
    this.body = init.body
  }
  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }
  async text(): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.body) chunks.push(chunk)
    return Buffer.concat(chunks).toString('utf8')
  }
  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

/** Only asked whether something is one of them, which nothing of ours is. */
class LightRequest {}
class LightFormData {}
class LightReadableStream {}

/**
 * Puts the stand-ins in front of the real classes, once per process. By assignment: on Node 24 defining a property, or
 * only asking for its descriptor, loads undici first.
 */
export function putLightWebInFront(): void {
  Object.assign(globalThis, {
    Headers: LightHeaders,
    Response: LightResponse,
    Request: LightRequest,
    FormData: LightFormData,
    ReadableStream: LightReadableStream,
  })
}
