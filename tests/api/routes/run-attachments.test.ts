import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { connectRun } from '../../../src/api/client/index.ts'
import { type ApiYard, endRun, openApiYard, ownSecret, startRun } from '../open-yard.ts'

const mebibyte = 1_024 * 1_024

/** A card that runs, a client with the token of its attempt, and the folder that it works in. */
async function running(yard: ApiYard) {
  const { task } = await yard.client.createTask({ prompt: 'Fix the login.', title: 'login', dir: '/shop' })
  const started = startRun(yard)
  const folder = join(yard.home, 'work')
  mkdirSync(folder, { recursive: true })
  const own = connectRun({ port: yard.port, token: started.token })
  const refusals = () => yard.board.eventsAfter(0, 10_000).filter(({ kind }) => kind === 'run.artifacts_refused')
  return { ...started, id: task.id, folder, own, refusals }
}

const from = (...pieces: readonly (string | Buffer)[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)))

describe('a file that an attempt hands back', () => {
  test('C93 · is on its card under its name, with the attempt that made it', async () => {
    await using yard = await openApiYard()
    const { own, id, run } = await running(yard)
    expect(await own.attach('shot.png', from('pixels'))).toMatchObject({
      run: run.id,
      name: 'shot.png',
      bytes: 6,
      by: 'R1',
    })
    await yard.client.attach(id, 'shot.png', from('of a person'))
    expect((await yard.client.task(id)).attachments).toMatchObject([
      { name: 'shot.png', run: 1, by: 'R1', bytes: 6, media_type: 'image/png' },
      { name: 'shot.png', run: null, by: 'Zoë', bytes: 11 },
    ])
  })

  test('C92 · of 26 MB is refused while it is sent, the refusal is on record, and the attempt goes on', async () => {
    await using yard = await openApiYard()
    const { own, id, refusals } = await running(yard)
    await own.attach('shot.png', from('pixels'))
    const pieces = Array.from({ length: 26 }, () => randomBytes(mebibyte))
    await expect(own.attach('video.mp4', from(...pieces))).rejects.toMatchObject({ code: 'API_ATTACHMENT_TOO_LARGE' })
    expect(refusals()).toMatchObject([
      {
        run: 1,
        task: id,
        by: 'R1',
        text: 'T1 attempt 1 handed a file back that was not taken: artifact too large (more than 25 MiB): "video.mp4"',
      },
    ])
    expect(await yard.client.attachments(id)).toMatchObject([{ name: 'shot.png' }])
    expect(await own.complete({ result: 'done' })).toMatchObject({ call: 'complete' })
  })

  test('is not taken once the attempt is over, also where it ended while it sent', async () => {
    await using yard = await openApiYard()
    const { own, id, ...started } = await running(yard)
    const unfinished = join(yard.home, 'attachments', 'unfinished')
    const hasBegun = () => existsSync(unfinished) && readdirSync(unfinished).length > 0
    async function* slowly() {
      yield Buffer.alloc(100_000)
      while (!hasBegun()) await new Promise((resolve) => setImmediate(resolve))
      endRun(yard, started)
      yield Buffer.from('late')
    }
    await expect(own.attach('late.txt', Readable.from(slowly()))).rejects.toMatchObject({ code: 'API_RUN_OVER' })
    await expect(own.attach('later.txt', from('x'))).rejects.toMatchObject({ code: 'API_RUN_OVER' })
    expect(await yard.client.attachments(id)).toEqual([])
    expect(await yard.client.run(1)).toMatchObject({ late_calls: 2 })
  })

  test('the token of an attempt opens nothing else of files', async () => {
    await using yard = await openApiYard()
    const { token, id } = await running(yard)
    await yard.client.attach(id, 'a.txt', from('x'))
    const ask = async (method: string, path: string) =>
      (await yard.ask(`/api/v1${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status
    expect(await ask('GET', '/attachments/1')).toBe(403)
    expect(await ask('GET', `/tasks/${id}/attachments`)).toBe(403)
    expect(await ask('POST', `/tasks/${id}/attachments?name=b`)).toBe(403)
    expect((await yard.ask('/api/v1/run/attach?name=x', { method: 'POST' })).status).toBe(403)
  })
})

describe('C53 · an attempt that says it is done names what it has made', () => {
  test('and it is on the card before its word counts', async () => {
    await using yard = await openApiYard()
    const { own, id, folder, dir } = await running(yard)
    writeFileSync(join(folder, 'report.pdf'), 'report')
    writeFileSync(join(dir, 'shot.png'), 'pixels')
    const artifacts = ['report.pdf', join(dir, 'shot.png')]
    expect(await own.complete({ result: 'done', artifacts })).toMatchObject({ call: 'complete' })
    expect(await yard.client.attachments(id)).toMatchObject([
      { name: 'report.pdf', run: 1, bytes: 6 },
      { name: 'shot.png', run: 1, bytes: 6 },
    ])
  })

  test('one that is missing, empty, outside or too large refuses it with the list; it goes on, mends that, and completes', async () => {
    await using yard = await openApiYard()
    const { own, id, folder, refusals } = await running(yard)
    writeFileSync(join(folder, 'good.txt'), 'good')
    writeFileSync(join(folder, 'empty.txt'), '')
    writeFileSync(join(folder, 'big.bin'), '')
    truncateSync(join(folder, 'big.bin'), 26 * mebibyte)
    symlinkSync('/etc/passwd', join(folder, 'link'))
    const artifacts = ['good.txt', 'report.pdf', 'empty.txt', 'link', 'big.bin']
    await expect(own.complete({ result: 'done', artifacts })).rejects.toMatchObject({
      code: 'API_BAD_ARTIFACTS',
      status: 422,
      message:
        'R1 is not done yet: artifact missing: "report.pdf"; artifact empty: "empty.txt"; ' +
        'artifact outside of the folder of the task and of the directory of the attempt: "link"; ' +
        'artifact too large (more than 25 MiB): "big.bin"',
    })
    expect(await yard.client.attachments(id)).toEqual([])
    expect(await yard.client.run(1)).toMatchObject({ phase: 'started', call: null, outcome: null })
    expect(refusals()).toMatchObject([
      {
        run: 1,
        task: id,
        text: expect.stringContaining('said that it is done, and was refused: artifact missing: "report.pdf"'),
      },
    ])

    writeFileSync(join(folder, 'report.pdf'), 'made now')
    expect(await own.complete({ result: 'done', artifacts: ['good.txt', 'report.pdf'] })).toMatchObject({
      call: 'complete',
    })
    expect(await yard.client.attachments(id)).toMatchObject([{ name: 'good.txt' }, { name: 'report.pdf' }])
    expect(refusals()).toHaveLength(1)
  })

  test('whose answer was lost may be said again, although the files are gone by then', async () => {
    await using yard = await openApiYard()
    const { own, id, folder } = await running(yard)
    writeFileSync(join(folder, 'report.pdf'), 'report')
    const said = { result: 'done', artifacts: ['report.pdf'] }
    await own.complete(said)
    rmSync(join(folder, 'report.pdf'))
    expect(await own.complete(said)).toMatchObject({ call: 'complete' })
    expect(await yard.client.attachments(id)).toHaveLength(1)
  })

  test('a secret that it was given is not on record in the name of a file, taken or not', async () => {
    await using yard = await openApiYard()
    const { own, id, folder } = await running(yard)
    await own.attach(`${ownSecret}.log`, from('x'))
    writeFileSync(join(folder, `${ownSecret}.pdf`), 'x')
    await own.complete({ artifacts: [`${ownSecret}.pdf`] })
    expect(await yard.client.attachments(id)).toHaveLength(2)
    expect(JSON.stringify(await yard.client.eventsPage(0, 1_000))).not.toContain(ownSecret)
    expect(JSON.stringify(await yard.client.attachments(id))).not.toContain(ownSecret)
  })

  test('a secret that it was given is not on record in the name of what it could not hand back', async () => {
    await using yard = await openApiYard()
    const { own, refusals } = await running(yard)
    const said = own.complete({ artifacts: [`${ownSecret}.txt`] })
    await expect(said).rejects.toMatchObject({ message: expect.not.stringContaining(ownSecret) })
    expect(JSON.stringify(refusals())).not.toContain(ownSecret)
  })

  test('nothing is left half: what was stored for a refused word belongs to nothing', async () => {
    await using yard = await openApiYard()
    const { own, folder } = await running(yard)
    writeFileSync(join(folder, 'good.txt'), 'good')
    await expect(own.complete({ artifacts: ['good.txt', 'gone'] })).rejects.toMatchObject({ code: 'API_BAD_ARTIFACTS' })
    const store = join(yard.home, 'attachments')
    const kept = existsSync(store)
      ? readdirSync(store)
          .filter((name) => name !== 'unfinished')
          .flatMap((name) => readdirSync(join(store, name)))
      : []
    expect(kept.filter((sha256) => yard.board.isFileUsed(sha256))).toEqual([])
  })
})
