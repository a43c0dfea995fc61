import type { ServerResponse } from 'node:http'
import type { YardError } from '../kernel/index.ts'
import { viewError } from './answer-error.ts'

/** Answers a request that is refused before it reaches the application, and ends its connection. */
export function answerRaw(response: ServerResponse, refusal: YardError): void {
  response.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(viewError(refusal)))
}
