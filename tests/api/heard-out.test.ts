import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type ApiYard, openApiYard } from './open-yard.ts'

const mebibyte = 1_024 * 1_024

/** A program that writes to its end before it reads what it was answered, and closes its connection then. */
async function sendBlindly(
  yard: ApiYard,
  path: string,
  { bytes, token = yard.token }: { bytes: number; token?: string },
) {
  const socket = connect({ port: yard.port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.pause()
  const head = [
    `POST /api/v1${path} HTTP/1.1`,
    `host: 127.0.0.1:${yard.port}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${bytes}`,
    'connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const piece = Buffer.alloc(mebibyte)
  for (let left = bytes; left > 0; left -= piece.length)
    await write(socket, piece.subarray(0, Math.min(left, mebibyte)))
  return await answerTo(socket)
}

const write = (socket: Socket, piece: Buffer) =>
  new Promise<void>((resolve, reject) => socket.write(piece, (fault) => (fault ? reject(fault) : resolve())))

async function answerTo(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test('whoever is refused while it sends, and sends on, is heard out and gets its answer', async () => {
  await using yard = await openApiYard()
  const { task } = await yard.client.createTask({ prompt: 'Read the spec.', dir: '/shop' })
  const path = `/tasks/${task.id}/attachments`

  expect(await sendBlindly(yard, `${path}?name=big.bin`, { bytes: 40 * mebibyte })).toContain(
    'API_ATTACHMENT_TOO_LARGE',
  )
  expect(await sendBlindly(yard, `${path}?name=..%2Fx`, { bytes: 20 * mebibyte })).toContain('API_BAD_REQUEST')
  expect(await sendBlindly(yard, `/tasks/99/attachments?name=x`, { bytes: 20 * mebibyte })).toContain('API_NOT_FOUND')
  expect(await sendBlindly(yard, path, { bytes: 20 * mebibyte, token: 'other' })).toContain('API_NO_TOKEN')
  expect(await sendBlindly(yard, '/tasks', { bytes: 70 * mebibyte })).toContain('API_BODY_TOO_LARGE')
  expect(yard.surprises).toEqual([])
})
