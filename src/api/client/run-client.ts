import type { Readable } from 'node:stream'
import type {
  AttachmentView,
  RunAnswerView,
  RunBlockBody,
  RunCompleteBody,
  RunOwnView,
  RunReviewBody,
  RunWaitBody,
} from '../contract/index.ts'
import { call } from './call.ts'
import { createHttpTransport, type HttpTarget } from './http-transport.ts'
import { uploadFile } from './upload-file.ts'

/**
 * What an attempt can call with its own token, as functions. Every answer that is not 2xx is thrown as a `YardError` with
 * the hub's code, message and fix; a hub that cannot be reached is `CLIENT_HUB_GONE`. After complete, block, review or
 * wait it has said how it ends: what is left is to end. The same one may be sent again when its answer was lost.
 */
export interface RunClient {
  /** `after`: the number of the last comment that it has. */
  show(after?: number): Promise<RunOwnView>
  heartbeat(): Promise<RunAnswerView>
  comment(text: string): Promise<RunAnswerView>
  /** A file that it hands back, of at most 25 MiB. Rejects with what `source` throws. */
  attach(name: string, source: Readable): Promise<AttachmentView>
  complete(body: RunCompleteBody): Promise<RunAnswerView>
  block(body: RunBlockBody): Promise<RunAnswerView>
  review(body: RunReviewBody): Promise<RunAnswerView>
  wait(body: RunWaitBody): Promise<RunAnswerView>
}

/** A client of the hub that started this attempt. Opens nothing before the first call. */
export function connectRun(target: Omit<HttpTarget, 'by'>): RunClient {
  const transport = createHttpTransport(target)
  const post = (act: string, body: unknown) =>
    call<RunAnswerView>(transport, { method: 'POST', path: `/run/${act}`, body })
  return {
    show: (after) => call(transport, { method: 'GET', path: `/run${after === undefined ? '' : `?after=${after}`}` }),
    heartbeat: () => post('heartbeat', {}),
    comment: (text) => post('comment', { text }),
    attach: (name, source) => uploadFile(transport, { path: '/run/attach', name, source }),
    complete: (body) => post('complete', body),
    block: (body) => post('block', body),
    review: (body) => post('review', body),
    wait: (body) => post('wait', body),
  }
}
