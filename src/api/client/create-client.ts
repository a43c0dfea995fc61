import type { Clock } from '../../kernel/index.ts'
import type { EventView } from '../contract/index.ts'
import { call, okOrThrow } from './call.ts'
import type { Client, LogPiece, LogStage } from './client.ts'
import { clientError } from './errors.ts'
import { followStream } from './follow-stream.ts'
import { readBytes } from './read-bytes.ts'
import type { Transport } from './transport.ts'
import { uploadFile } from './upload-file.ts'

interface Deps {
  readonly transport: Transport
  readonly clock: Clock
}

/** The functions of `Client` over a transport: one path for each, no state between calls. */
export function createClient({ transport, clock }: Deps): Client {
  const get = <View>(path: string) => call<View>(transport, { method: 'GET', path })
  const post = <View>(path: string, body: unknown) => call<View>(transport, { method: 'POST', path, body })
  const batchPath = (ref: number | string) => `/batches/${encodeURIComponent(ref)}`
  return {
    health: () => get('/health'),
    createTask: (body) => post('/tasks', body),
    listTasks: (query) => get(`/tasks${queryText({ ...query })}`),
    task: (id) => get(`/tasks/${id}`),
    editTask: (id, body) => call(transport, { method: 'PATCH', path: `/tasks/${id}`, body }),
    why: (id) => get(`/tasks/${id}/why`),
    settings: (id) => get(`/tasks/${id}/settings`),
    act: (id, verb, text) => post(`/tasks/${id}/${verb}`, withText(text)),
    archive: (id, body) => post(`/tasks/${id}/archive`, body),
    unarchive: (id) => post(`/tasks/${id}/unarchive`, {}),
    release: (id, run) => post(`/tasks/${id}/release`, { run }),
    backup: (file) => post('/backup', file === undefined ? {} : { file }),
    clean: (body) => post('/clean', body),
    exportBoard: (board, signal) => exportBoard({ transport, clock }, board, signal),
    importBoard: (body) => post('/import', body),
    run: (id) => get(`/runs/${id}`),
    log: (id, range = {}) => readLog(transport, `/runs/${id}/log${queryText({ ...range })}`),
    followLog: (id, from, signal, stage) => followLog({ transport, clock }, { id, from, stage }, signal),
    patchOf: (run, signal) => readBytes(transport, `/runs/${run}/patch`, signal),
    attach: (task, name, source) => uploadFile(transport, { path: `/tasks/${task}/attachments`, name, source }),
    attachments: (task) => get(`/tasks/${task}/attachments`),
    attachment: (id, signal) => readBytes(transport, `/attachments/${id}`, signal),
    submitBatch: (body) => post('/batches', body),
    batches: (query = {}) => get(`/batches${queryText({ ...query })}`),
    batch: (ref) => get(batchPath(ref)),
    batchReport: (ref) => get(`${batchPath(ref)}/report`),
    cancelBatch: (ref, text) => post(`${batchPath(ref)}/cancel`, withText(text)),
    events: (after, filter, signal) => followEvents({ transport, clock }, { after, filter }, signal),
    eventsPage: (after, limit, filter = {}) => get(`/events/page${queryText({ after, limit, ...filter })}`),
    pause: (body) => post('/pause', body),
    resume: (body) => post('/resume', body),
    drain: (body) => post('/drain', body),
    down: (mode) => post('/down', { mode }),
  }
}

const withText = (text: string | undefined) => (text === undefined ? {} : { text })

async function readLog(transport: Transport, path: string): Promise<LogPiece> {
  const { text, headers } = okOrThrow(transport, await transport.send({ method: 'GET', path }))
  return {
    text,
    from: Number(headers['x-log-from']),
    next: Number(headers['x-log-next']),
    size: Number(headers['x-log-size']),
    gone: Number(headers['x-log-gone']),
    open: headers['x-log-open'] === 'true',
  }
}

async function* followLog(
  deps: Deps,
  { id, from, stage }: { readonly id: number; readonly from: number; readonly stage: LogStage | undefined },
  signal: AbortSignal,
): AsyncGenerator<string> {
  let next = from
  const stream = { path: () => `/runs/${id}/log/follow${queryText({ stage, from: next })}` }
  for await (const { event, data } of followStream(deps, stream, signal)) {
    if (event === 'end') return
    const piece = JSON.parse(data) as { readonly text: string; readonly next: number }
    next = piece.next
    yield piece.text
  }
}

async function* exportBoard(deps: Deps, board: string, signal: AbortSignal): AsyncGenerator<string> {
  let next = 0
  const stream = { path: () => `/export${queryText({ board })}` }
  for await (const { event, data } of followStream(deps, stream, signal)) {
    if (event === 'end') return
    const { at, lines } = JSON.parse(data) as { readonly at: number; readonly lines: readonly string[] }
    // A second connection begins anew, with the board as it is then: two halves of two moments are no board.
    if (at !== next) throw clientError('CLIENT_HUB_GONE', { address: deps.transport.address, why: 'it broke off' })
    next = at + lines.length
    yield* lines
  }
}

async function* followEvents(
  deps: Deps,
  { after, filter }: { readonly after: number; readonly filter: { readonly task?: number; readonly batch?: number } },
  signal: AbortSignal,
): AsyncGenerator<EventView> {
  let last = after
  const stream = {
    path: () => `/events${queryText({ after, ...filter })}`,
    lastEventId: () => (last === after ? undefined : String(last)),
  }
  for await (const { data } of followStream(deps, stream, signal)) {
    const event = JSON.parse(data) as EventView
    last = event.seq
    yield event
  }
}

function queryText(query: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(query).filter((pair): pair is [string, string | number] => pair[1] !== undefined)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`
}
