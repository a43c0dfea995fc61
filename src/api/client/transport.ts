import type { Readable } from 'node:stream'

/** One request; `path` is under `apiBase`, with its query. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: unknown
  /** Ends it at any time, over HTTP: it rejects as if nothing had answered. */
  readonly signal?: AbortSignal
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** An answer whose body is read as it comes. A status that is not 200 has its whole body in `text`. */
export type ApiStream =
  | { readonly kind: 'open'; readonly chunks: AsyncIterable<Buffer | string> }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string }

/**
 * How requests reach the API: over HTTP, or in process. Rejects with `CLIENT_HUB_GONE` when nothing answers; every
 * answer, whatever its status, is returned.
 */
export interface Transport {
  /** For messages: `http://127.0.0.1:7420`, `this process`. */
  readonly address: string
  send(request: ApiRequest): Promise<ApiAnswer>
  /**
   * POST of bytes as they come; what has not been sent when the answer is there is not sent any more. Rejects with what `source`
   * throws. `signal` ends it at any time, over HTTP, as that of a request does.
   */
  upload(path: string, source: Readable, signal?: AbortSignal): Promise<ApiAnswer>
  /** GET with `Last-Event-ID` where one is given. `signal` ends it at any time. */
  open(path: string, lastEventId: string | undefined, signal: AbortSignal): Promise<ApiStream>
}
