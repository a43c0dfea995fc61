import OpenAI from 'openai'
import { longestTimerMs } from '../../kernel/index.ts'
import type { Endpoint } from './model-call.ts'
import { createNodeFetch, type WireEvents, type WireRecord } from './node-fetch.ts'

/**
 * Sends a request by the SDK and gives the events of its answer. The body is sent as it is, byte for byte: the SDK makes
 * JSON of a value only where no content type is given (measured: `bench/figures/serialise.ts`). No repeats, no time limits
 * and nothing out of the environment: all of that is ours to decide.
 */
export function openStream(
  endpoint: Endpoint,
  request: { readonly path: string; readonly body: string },
  wire: { readonly record: WireRecord; readonly events: WireEvents; readonly signal: AbortSignal },
): Promise<AsyncIterable<unknown>> {
  // What stands behind the path of an address (`?api-version=…`) goes behind that of each call.
  const address = new URL(endpoint.baseUrl)
  const query = Object.fromEntries(address.searchParams)
  address.search = ''
  address.hash = ''
  const client = new OpenAI({
    baseURL: address.href.replace(/\/$/, ''),
    // Everything is given, also when empty: the SDK would else look into the environment.
    apiKey: endpoint.apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0, // one policy decides, ours: the SDK would repeat a 429 that is about money
    timeout: longestTimerMs, // our watchdogs decide, each with its own flag
    logLevel: 'off',
    defaultHeaders: {
      'User-Agent': 'yardmaster',
      ...endpoint.headers,
      ...(endpoint.apiKey === null ? { Authorization: null } : {}),
    },
    fetch: createNodeFetch(wire.record, wire.events) as unknown as typeof fetch,
  })
  return client.post<AsyncIterable<unknown>>(request.path, {
    body: request.body,
    query,
    headers: { 'content-type': 'application/json' },
    stream: true,
    signal: wire.signal,
  })
}

/** The body of an error that stood in a stream: the SDK makes an error without a status of it and keeps the inner object. */
export function inBandError(fault: unknown): string | undefined {
  const isInBand = fault instanceof OpenAI.APIError && fault.status === undefined && fault.error !== undefined
  return isInBand ? JSON.stringify({ error: fault.error }) : undefined
}
