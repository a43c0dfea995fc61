import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { attachmentPath, unfinishedFolder } from '../../../src/runs/attachments/attachment-paths.ts'
import {
  keptAttachments,
  openAttachment,
  removeAttachment,
  storeStream,
  sweepUnfinished,
} from '../../../src/runs/index.ts'
import { canMount, mountSmallDisk } from '../../fixtures/small-disk.ts'
import { makeFolder } from '../run-folder.ts'

const mebibyte = 1_024 * 1_024

async function* piecesOf(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

const sha256Of = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const unfinishedIn = (home: string): readonly string[] =>
  existsSync(unfinishedFolder(home)) ? readdirSync(unfinishedFolder(home)) : []

async function keptIn(home: string): Promise<readonly string[]> {
  const kept: string[] = []
  for await (const { sha256 } of keptAttachments(home, { beforeMs: Number.POSITIVE_INFINITY })) kept.push(sha256)
  return kept.sort()
}

describe('the store of attachments', () => {
  test('keeps bytes under their checksum, readable by us alone, and gives them back', async () => {
    const home = makeFolder()
    const stored = await storeStream(home, piecesOf('a ', 'report'), { mostBytes: 100 })
    const sha256 = sha256Of('a report')
    expect(stored).toEqual({ ok: true, sha256, bytes: 8 })
    const path = join(home, 'attachments', sha256.slice(0, 2), sha256)
    expect(readFileSync(path, 'utf8')).toBe('a report')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(unfinishedIn(home)).toEqual([])

    const opened = await openAttachment(home, sha256)
    expect(await opened?.readFile('utf8')).toBe('a report')
    await opened?.close()
    removeAttachment(home, sha256)
    removeAttachment(home, sha256)
    expect(await openAttachment(home, sha256)).toBeUndefined()
  })

  test('takes what has exactly as many bytes as there may be', async () => {
    const home = makeFolder()
    expect(await storeStream(home, piecesOf('1234', '5678'), { mostBytes: 8 })).toMatchObject({ ok: true, bytes: 8 })
    expect(await storeStream(home, piecesOf('1234', '5678', '9'), { mostBytes: 8 })).toEqual({
      ok: false,
      why: 'too_large',
      bytes: 9,
    })
  })

  test('C92 · stops at the limit: the rest is not even asked for, no more is ever on the disk, and nothing stays', async () => {
    const home = makeFolder()
    const piece = randomBytes(mebibyte)
    let asked = 0
    let most = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        asked += 1
        for (const name of unfinishedIn(home)) most = Math.max(most, statSync(join(unfinishedFolder(home), name)).size)
        yield piece
      }
    }
    expect(await storeStream(home, endless(), { mostBytes: 25 * mebibyte })).toEqual({
      ok: false,
      why: 'too_large',
      bytes: 26 * mebibyte,
    })
    expect(asked).toBe(26)
    expect(most).toBe(25 * mebibyte)
    expect(unfinishedIn(home)).toEqual([])
    expect(await keptIn(home)).toEqual([])
  })

  test('holds no more than a piece in memory, however large the file is', async () => {
    const home = makeFolder()
    const piece = randomBytes(mebibyte / 4)
    async function* many(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 400; n += 1) {
        piece.writeUInt32LE(n)
        yield piece
      }
    }
    const before = process.memoryUsage()
    const stored = await storeStream(home, many(), { mostBytes: null })
    const after = process.memoryUsage()
    expect(stored).toMatchObject({ ok: true, bytes: 100 * mebibyte })
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * mebibyte)
  })

  test('leaves nothing of a source that breaks off, and says what it said', async () => {
    const home = makeFolder()
    const source = new PassThrough()
    source.write('half of it')
    const stored = storeStream(home, source, { mostBytes: 100 })
    source.destroy(new Error('the line was cut'))
    await expect(stored).rejects.toThrow('the line was cut')
    expect(unfinishedIn(home)).toEqual([])
    expect(await keptIn(home)).toEqual([])
  })

  test('the same bytes twenty times at once are one file', async () => {
    const home = makeFolder()
    const bytes = randomBytes(3 * mebibyte)
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        storeStream(home, piecesOf(bytes.subarray(0, 1000), bytes.subarray(1000)), { mostBytes: null }),
      ),
    )
    expect(new Set(all.map((stored) => stored.ok && stored.sha256))).toEqual(new Set([sha256Of(bytes)]))
    expect(await keptIn(home)).toEqual([sha256Of(bytes)])
    expect(readFileSync(attachmentPath(home, sha256Of(bytes))).equals(bytes)).toBe(true)
    expect(unfinishedIn(home)).toEqual([])
  })

  test('bytes that come again make their file young, so that a sweep that looks for old ones leaves it', async () => {
    const home = makeFolder()
    const stored = await storeStream(home, piecesOf('x'), { mostBytes: null })
    if (!stored.ok) throw new Error('not stored')
    const path = attachmentPath(home, stored.sha256)
    utimesSync(path, 1_000, 1_000)
    const old = async () => {
      const found: string[] = []
      for await (const { sha256 } of keptAttachments(home, { beforeMs: 2_000_000 })) found.push(sha256)
      return found
    }
    expect(await old()).toEqual([stored.sha256])
    await storeStream(home, piecesOf('x'), { mostBytes: null })
    expect(await old()).toEqual([])
  })

  test('what a killed hub was writing goes with the next sweep, and what is being written stays', async () => {
    const home = makeFolder()
    await storeStream(home, piecesOf('x'), { mostBytes: null })
    writeFileSync(join(unfinishedFolder(home), '4711-1'), 'half')
    utimesSync(join(unfinishedFolder(home), '4711-1'), 1_000, 1_000)
    writeFileSync(join(unfinishedFolder(home), '4711-2'), 'now')
    expect(await sweepUnfinished(home, { beforeMs: 2_000_000 })).toBe(1)
    expect(unfinishedIn(home)).toEqual(['4711-2'])
  })

  test('a name that a killed hub of the same number has left is not taken over', async () => {
    const home = makeFolder()
    await storeStream(home, piecesOf('x'), { mostBytes: null })
    for (let n = 1; n < 200; n += 1) writeFileSync(join(unfinishedFolder(home), `${process.pid}-${n}`), 'of another')
    expect(await storeStream(home, piecesOf('y'), { mostBytes: null })).toMatchObject({ ok: true })
    expect(unfinishedIn(home)).toHaveLength(199)
  })

  test('names that are no checksum reach no file', async () => {
    await expect(openAttachment(makeFolder(), '../../etc/passwd')).rejects.toThrow('is no SHA-256')
    expect(() => removeAttachment(makeFolder(), 'A'.repeat(64))).toThrow('is no SHA-256')
  })

  test.skipIf(!canMount)(
    'a full disk: it says that it is short, nothing half stays, and with room it goes',
    async () => {
      using disk = mountSmallDisk(4) ?? expect.fail('the small disk cannot be mounted any more')
      const bytes = randomBytes(2 * mebibyte)
      const makeRoom = disk.fill()
      expect(await storeStream(disk.folder, piecesOf(bytes), { mostBytes: null })).toMatchObject({
        ok: false,
        why: 'short',
      })
      expect(unfinishedIn(disk.folder)).toEqual([])
      makeRoom()
      expect(await storeStream(disk.folder, piecesOf(bytes, bytes, bytes), { mostBytes: null })).toMatchObject({
        ok: false,
        why: 'short',
      })
      expect(unfinishedIn(disk.folder)).toEqual([])
      expect(await storeStream(disk.folder, piecesOf(bytes), { mostBytes: null })).toMatchObject({ ok: true })
      rmSync(join(disk.folder, 'attachments'), { recursive: true })
    },
  )
})
