import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { removeAttachment } from '../../../src/runs/index.ts'
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts'
import { type ApiYard, openApiYard } from '../open-yard.ts'

const mebibyte = 1_024 * 1_024

async function newCard(yard: ApiYard): Promise<number> {
  const { task } = await yard.client.createTask({ prompt: 'Read the spec.', dir: '/shop' })
  return task.id
}

const textOf = async (bytes: AsyncIterable<Buffer>) => {
  const chunks: Buffer[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const from = (...pieces: readonly (string | Buffer)[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)))

/** A body as any program would send it. */
function post(yard: ApiYard, path: string, body: string | Buffer | undefined, headers: Record<string, string> = {}) {
  return fetch(`http://127.0.0.1:${yard.port}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${yard.token}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
}

const codeOf = async (answer: Promise<Response>) => {
  const given = await answer
  const { error } = (await given.json()) as { error: { code: string; message: string } }
  return [given.status, error.code, error.message] as const
}

/** Files in the store, and what is begun. */
function storedIn(home: string): readonly string[] {
  const folder = join(home, 'attachments')
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)))
}

describe('files of a card', () => {
  test('C93 · one that a person gives is named with the card, and comes back as it was', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const sha256 = createHash('sha256').update('the spec').digest('hex')
    const view = await yard.client.attach(id, 'spec.pdf', from('the ', 'spec'))
    expect(view).toEqual({
      id: 1,
      task: id,
      run: null,
      name: 'spec.pdf',
      media_type: 'application/pdf',
      bytes: 8,
      sha256,
      by: 'Zoë',
      at: expect.any(String),
    })
    expect(await yard.client.attachments(id)).toEqual([view])
    expect((await yard.client.task(id)).attachments).toEqual([view])
    expect(await textOf(yard.client.attachment(1, new AbortController().signal))).toBe('the spec')
  })

  test.each([
    ['application/json', '{"not": json'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['image/png', '\x89PNG'],
    ['text/plain; charset=utf-8', 'text'],
  ])('a body that calls itself %s is taken as the bytes that it is', async (type, body) => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const answer = await post(yard, `/tasks/T${id}/attachments?name=x.bin`, body, { 'content-type': type })
    expect(answer.status).toBe(201)
    expect(await textOf(yard.client.attachment(1, new AbortController().signal))).toBe(body)
  })

  test('an empty file is a file', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    expect((await post(yard, `/tasks/${id}/attachments?name=empty`, undefined)).status).toBe(201)
    expect(await yard.client.attachments(id)).toMatchObject([{ name: 'empty', bytes: 0 }])
  })

  test('one of the same name takes the place of the one before', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    await yard.client.attach(id, 'a.txt', from('old'))
    await yard.client.attach(id, 'a.txt', from('new'))
    expect(await yard.client.attachments(id)).toMatchObject([{ id: 1, name: 'a.txt', bytes: 3 }])
    expect(await textOf(yard.client.attachment(1, new AbortController().signal))).toBe('new')
  })

  test.each([
    ['', 'is empty'],
    ['..', 'is the name of a folder'],
    ['a/b', 'has a slash in it'],
    ['a\\b', 'has a slash in it'],
    ['a\nb', 'has characters in it that cannot be seen'],
    ['a\0b', 'has characters in it that cannot be seen'],
    ['fdp\u202e.exe', 'has characters in it that cannot be seen'],
    [' a', 'begins or ends with a space'],
    ['ü'.repeat(101), 'has more than 200 bytes'],
  ])('the name %j is refused', async (name, says) => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const answer = codeOf(post(yard, `/tasks/${id}/attachments?${new URLSearchParams({ name })}`, 'x'))
    expect(await answer).toEqual([400, 'API_BAD_REQUEST', `name ${says}`])
    expect(storedIn(yard.home)).toEqual([])
  })

  test('a name of 200 bytes, with quotes, spaces and umlauts, is kept and sent back so that it can be saved', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const name = `Plan "für" 100% ${'ü'.repeat(89)}x.txt`
    expect(Buffer.byteLength(name)).toBe(200)
    await yard.client.attach(id, name, from('x'))
    const answer = await yard.ask('/api/v1/attachments/1')
    const disposition = answer.headers.get('content-disposition') ?? ''
    expect(disposition).toContain('attachment; filename="Plan _f_r_ 100_ ')
    expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(name)
  })

  test('no card, no name, no such file, no token: each is said', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    expect((await codeOf(post(yard, '/tasks/77/attachments?name=x', 'x'))).slice(0, 2)).toEqual([404, 'API_NOT_FOUND'])
    expect((await codeOf(post(yard, `/tasks/${id}/attachments`, 'x'))).slice(0, 2)).toEqual([400, 'API_BAD_REQUEST'])
    expect((await codeOf(yard.ask('/api/v1/attachments/7'))).slice(0, 2)).toEqual([404, 'API_NOT_FOUND'])
    expect((await codeOf(yard.ask('/api/v1/attachments/../token'))).slice(0, 2)).toEqual([404, 'API_NO_ROUTE'])
    const foreign = post(yard, `/tasks/${id}/attachments?name=x`, 'x', { authorization: 'Bearer no' })
    expect((await codeOf(foreign)).slice(0, 2)).toEqual([401, 'API_NO_TOKEN'])
    expect(storedIn(yard.home)).toEqual([])
  })

  test('a file whose bytes are gone from the store says so', async () => {
    await using yard = await openApiYard()
    const { sha256 } = await yard.client.attach(await newCard(yard), 'a.txt', from('x'))
    removeAttachment(yard.home, sha256)
    expect((await codeOf(yard.ask('/api/v1/attachments/1'))).slice(0, 2)).toEqual([410, 'API_ATTACHMENT_GONE'])
  })

  test.each([
    ['page.html', 'application/octet-stream'],
    ['drawing.svg', 'application/octet-stream'],
    ['feed.xml', 'application/octet-stream'],
    ['shot.png', 'image/png'],
    ['notes.txt', 'text/plain'],
    ['unknown.xyz', 'application/octet-stream'],
  ])('%s is sent as %s, to be saved, and is no page of ours', async (name, type) => {
    await using yard = await openApiYard()
    await yard.client.attach(await newCard(yard), name, from('<script>alert(1)</script>'))
    const { headers } = await yard.ask('/api/v1/attachments/1')
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('a hundred files are enough for a card; one of a name that is there may still come', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    for (let n = 0; n < 100; n += 1) await yard.client.attach(id, `${n}.txt`, from(`${n}`))
    const more = yard.client.attach(id, 'one-more.txt', from('x'))
    await expect(more).rejects.toMatchObject({ code: 'API_TOO_MANY_ATTACHMENTS' })
    expect(await yard.client.attach(id, '7.txt', from('again'))).toMatchObject({ bytes: 5 })
  })

  test('the same bytes under two names and on two cards are one file in the store', async () => {
    await using yard = await openApiYard()
    const [a, b] = [await newCard(yard), await newCard(yard)]
    await Promise.all([
      yard.client.attach(a, 'a.bin', from('same')),
      yard.client.attach(a, 'b.bin', from('same')),
      yard.client.attach(b, 'c.bin', from('same')),
    ])
    expect(storedIn(yard.home)).toHaveLength(1)
    expect(await yard.client.attachments(b)).toMatchObject([{ name: 'c.bin' }])
  })
})

describe('C92 · 26 MB where 25 may be', () => {
  test('are refused while they are sent: no more is on the disk at any time, nothing stays, and memory stays flat', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const piece = randomBytes(mebibyte)
    let sent = 0
    let most = 0
    const before = heldBytes()
    let fattest = 0
    async function* tooMuch(): AsyncGenerator<Buffer> {
      while (sent < 26) {
        sent += 1
        for (const name of unfinished(yard.home)) most = Math.max(most, statSync(name).size)
        fattest = Math.max(fattest, heldBytes() - before)
        yield piece
      }
    }
    await expect(yard.client.attach(id, 'big.bin', Readable.from(tooMuch()))).rejects.toMatchObject({
      code: 'API_ATTACHMENT_TOO_LARGE',
      status: 413,
      message: 'artifact too large: "big.bin" has more than 25 MiB; nothing of it is kept',
    })
    expect(most).toBeLessThanOrEqual(25 * mebibyte)
    expect(most).toBeGreaterThan(0)
    expect(fattest).toBeLessThan(6 * mebibyte)
    expect(storedIn(yard.home)).toEqual([])
    expect(await yard.client.attachments(id)).toEqual([])
    expect(yard.surprises).toEqual([])
  })

  test('are refused before a byte of them is read where their size is said', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const answer = codeOf(post(yard, `/tasks/${id}/attachments?name=big.bin`, randomBytes(26 * mebibyte)))
    expect((await answer).slice(0, 2)).toEqual([413, 'API_ATTACHMENT_TOO_LARGE'])
    expect(storedIn(yard.home)).toEqual([])
  })

  test('25 MiB to the byte are taken', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const bytes = randomBytes(25 * mebibyte)
    const view = await yard.client.attach(id, 'full.bin', from(bytes))
    expect(view).toMatchObject({ bytes: 26_214_400, sha256: createHash('sha256').update(bytes).digest('hex') })
  })

  test('in the same process, without a socket, the limit is the same', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const client = yard.api.connect('ana')
    const pieces = Array.from({ length: 26 }, () => randomBytes(mebibyte))
    await expect(client.attach(id, 'big.bin', from(...pieces))).rejects.toMatchObject({
      code: 'API_ATTACHMENT_TOO_LARGE',
    })
    expect(storedIn(yard.home)).toEqual([])
    expect(await client.attach(id, 'small.bin', from('small'))).toMatchObject({ bytes: 5, by: 'ana' })
    expect(await textOf(client.attachment(1, new AbortController().signal))).toBe('small')
  })
})

describe('an upload that breaks off', () => {
  test('leaves nothing, and the hub goes on', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const asked = request({
      port: yard.port,
      method: 'POST',
      path: `/api/v1/tasks/${id}/attachments?name=half.bin`,
      headers: { authorization: `Bearer ${yard.token}`, 'content-length': 1_000_000 },
    })
    asked.on('error', () => {})
    asked.write(Buffer.alloc(300_000))
    while (unfinished(yard.home).length === 0) await new Promise((resolve) => setImmediate(resolve))
    asked.destroy()
    while (storedIn(yard.home).length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await yard.client.attachments(id)).toEqual([])
    expect(yard.surprises).toEqual([])
  })

  test('because its file cannot be read further says why, in both ways to reach the hub', async () => {
    await using yard = await openApiYard()
    const id = await newCard(yard)
    const broken = () =>
      Readable.from(
        (async function* () {
          yield Buffer.alloc(100_000)
          throw new Error('the disk is broken')
        })(),
      )
    await expect(yard.client.attach(id, 'half.bin', broken())).rejects.toThrow('the disk is broken')
    await expect(yard.api.connect().attach(id, 'half.bin', broken())).rejects.toThrow('the disk is broken')
    while (storedIn(yard.home).length > 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await yard.client.attachments(id)).toEqual([])
    expect(yard.surprises).toEqual([])
  })
})

/** What is held beside the heap of objects once all that nobody needs is gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}

test.skipIf(!canMount)('a full disk takes no file and says so; with room it does', async () => {
  using disk = mountSmallDisk(4) ?? expect.fail('the small disk cannot be mounted any more')
  await using yard = await openApiYard({ yard: { home: disk.folder } })
  const id = await newCard(yard)
  const makeRoom = disk.fill()
  await expect(yard.client.attach(id, 'a.bin', from(randomBytes(mebibyte)))).rejects.toMatchObject({
    code: 'API_NO_ROOM',
    status: 507,
    message: 'there was no room for "a.bin" on the disk of the home; nothing of it is kept',
  })
  expect(storedIn(disk.folder)).toEqual([])
  expect(await yard.client.attachments(id)).toEqual([])
  makeRoom()
  expect(await yard.client.attach(id, 'a.bin', from(randomBytes(mebibyte)))).toMatchObject({ bytes: mebibyte })
})

function unfinished(home: string): readonly string[] {
  const folder = join(home, 'attachments', 'unfinished')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}
