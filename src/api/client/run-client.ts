import type { Readable } from 'node:stream'
import type {
  AttachmentView,
  RunAnswerView,
  RunBlockBody,
  RunCompleteBody,
  RunCreateBody,
  RunLinkBody,
  RunNewsView,
  RunOwnView,
  RunReviewBody,
  RunTasksQuery,
  RunTasksView,
  RunTaskView,
  RunWaitBody,
} from '../contract/index.ts'
import { call } from './call.ts'
import { createHttpTransport, type HttpTarget } from './http-transport.ts'
import { uploadFile } from './upload-file.ts'

/**
 * What an attempt can call with its own token, as functions. Every answer that is not 2xx is thrown as a `YardError` with
 * the hub's code, message and fix; a hub that cannot be reached is `CLIENT_HUB_GONE`, also when `signal` has ended the call.
 * After complete, block, review or wait it has said how it ends: what is left is to end. The same one may be sent again when
 * its answer was lost.
 */
export interface RunClient {
  /** `after`: the number of the last comment that it has. */
  show(after?: number, signal?: AbortSignal): Promise<RunOwnView>
  /** Answered when there are some, or after `waitSeconds`. */
  news(
    asked: { readonly after: number | undefined; readonly waitSeconds: number },
    signal?: AbortSignal,
  ): Promise<RunNewsView>
  /** `note`: how far it has come, for people. */
  heartbeat(note?: string, signal?: AbortSignal): Promise<RunAnswerView>
  /** On its own task, or on `task`. */
  comment(text: string, task?: number, signal?: AbortSignal): Promise<RunAnswerView>
  tasks(query: RunTasksQuery, signal?: AbortSignal): Promise<RunTasksView>
  create(body: RunCreateBody, signal?: AbortSignal): Promise<RunTaskView>
  link(body: RunLinkBody, signal?: AbortSignal): Promise<RunAnswerView>
  /** A file that it hands back, of at most 25 MiB. Rejects with what `source` throws. */
  attach(name: string, source: Readable, signal?: AbortSignal): Promise<AttachmentView>
  complete(body: RunCompleteBody, signal?: AbortSignal): Promise<RunAnswerView>
  block(body: RunBlockBody, signal?: AbortSignal): Promise<RunAnswerView>
  review(body: RunReviewBody, signal?: AbortSignal): Promise<RunAnswerView>
  wait(body: RunWaitBody, signal?: AbortSignal): Promise<RunAnswerView>
}

/** A client of the hub that started this attempt. Opens nothing before the first call. */
export function connectRun(target: Omit<HttpTarget, 'by'>): RunClient {
  const transport = createHttpTransport(target)
  const get = <View>(
    act: string,
    query: Readonly<Record<string, string | number | undefined>>,
    signal?: AbortSignal,
  ) => {
    const said = Object.entries(query).flatMap(([name, value]): readonly [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const text = new URLSearchParams(said).toString()
    const path = `/run${act}${text === '' ? '' : `?${text}`}`
    return call<View>(transport, { method: 'GET', path, ...(signal === undefined ? {} : { signal }) })
  }
  const post = <View = RunAnswerView>(act: string, body: unknown, signal?: AbortSignal) =>
    call<View>(transport, { method: 'POST', path: `/run/${act}`, body, ...(signal === undefined ? {} : { signal }) })
  return {
    show: (after, signal) => get('', { after }, signal),
    news: ({ after, waitSeconds }, signal) => get('/news', { after, wait: waitSeconds }, signal),
    heartbeat: (note, signal) => post('heartbeat', note === undefined ? {} : { note }, signal),
    comment: (text, task, signal) => post('comment', { text, ...(task === undefined ? {} : { task }) }, signal),
    tasks: (query, signal) => get('/tasks', query, signal),
    create: (body, signal) => post('create', body, signal),
    link: (body, signal) => post('link', body, signal),
    attach: (name, source, signal) => uploadFile(transport, { path: '/run/attach', name, source, signal }),
    complete: (body, signal) => post('complete', body, signal),
    block: (body, signal) => post('block', body, signal),
    review: (body, signal) => post('review', body, signal),
    wait: (body, signal) => post('wait', body, signal),
  }
}
