import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpTransport } from '../../../src/api/client/http-transport.ts'

/** A hub that closes each connection in the moment in which it is taken a second time. */
let server: Server
const asked: string[] = []

beforeEach(async () => {
  const served = new WeakSet<object>()
  asked.length = 0
  server = createServer((request, response) => {
    if (served.has(request.socket)) request.socket.destroy()
    else {
      served.add(request.socket)
      asked.push(`${request.method} ${request.url}`)
      response.end('{}')
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test.each(['GET', 'POST', 'PATCH'] as const)(
  'a %s is answered, once, also where the hub closes the idle connection of the question before it',
  async (method) => {
    const { port } = server.address() as AddressInfo
    const transport = createHttpTransport({ port, token: 'secret' })
    expect(await transport.send({ method: 'GET', path: '/first' })).toMatchObject({ status: 200 })
    expect(await transport.send({ method, path: '/second' })).toMatchObject({ status: 200 })
    expect(asked).toEqual(['GET /api/v1/first', `${method} /api/v1/second`])
  },
)
