import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Change } from '../../../src/board/index.ts'
import { removeAttachment, storePatch } from '../../../src/runs/index.ts'
import { type ApiYard, openApiYard, startRun } from '../open-yard.ts'

const change: Omit<Change, 'run' | 'patch'> = {
  repo: 'https://anna:ghp_0123456789@example.org/shop.git',
  branch: 'yard/t1-fix',
  baseRef: 'main',
  baseCommit: 'a'.repeat(40),
  headCommit: 'b'.repeat(40),
  commits: 1,
  fileCount: 1,
  insertions: 1,
  deletions: 0,
  files: [{ path: 'a.txt', status: 'added', insertions: 1, deletions: 0 }],
  leftOvers: true,
  outside: [],
  notes: ['HEAD was detached'],
}

/** An attempt whose patch has these bytes; null: it changed nothing. */
async function changed(yard: ApiYard, bytes: Buffer | null) {
  await yard.client.createTask({ run: 'true', dir: '/shop' })
  const { run } = startRun(yard)
  const file = join(yard.home, 'changes.diff')
  writeFileSync(file, bytes ?? '')
  const stored = bytes === null ? null : await storePatch(yard.home, file)
  if (stored?.ok === false) throw new Error(stored.why)
  const patch = stored === null ? null : { sha256: stored.sha256, bytes: stored.bytes }
  yard.board.recordChange({ ...change, run: run.id, fence: run.fence, patch })
  return { run: run.id, sha256: stored?.sha256 ?? '' }
}

async function bytesOf(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

describe('the patch of an attempt', () => {
  test('comes byte for byte as it is stored, whatever is in it and however large', async () => {
    await using yard = await openApiYard()
    const bytes = Buffer.concat([
      Buffer.from('diff --git a/x b/x\n+caf\xe9\r\n\0', 'latin1'),
      Buffer.alloc(30_000_000, 'x'),
    ])
    const { run } = await changed(yard, bytes)
    expect((await bytesOf(yard.client.patchOf(run, new AbortController().signal))).equals(bytes)).toBe(true)
  })

  test('is told of with its size beside what was changed, without the login of its repository', async () => {
    await using yard = await openApiYard()
    const { run } = await changed(yard, Buffer.from('diff\n'))
    const view = await yard.client.run(run)
    expect(view.change).toMatchObject({
      branch: 'yard/t1-fix',
      patch_bytes: 5,
      left_overs: true,
      notes: ['HEAD was detached'],
    })
    expect(view.change?.repo).toBe('https://example.org/shop.git')
    expect(view).toMatchObject({ checked: false, stages: [] })
  })

  test('that is not there is refused with why', async () => {
    await using yard = await openApiYard()
    const nothing = await changed(yard, null)
    const gone = await changed(yard, Buffer.from('diff\n'))
    removeAttachment(yard.home, gone.sha256)
    await yard.client.createTask({ run: 'true', dir: '/shop' })
    const { run: other } = startRun(yard)
    const signal = new AbortController().signal
    await expect(bytesOf(yard.client.patchOf(nothing.run, signal))).rejects.toMatchObject({
      code: 'API_NO_PATCH',
      message: expect.stringContaining('it changed nothing'),
    })
    await expect(bytesOf(yard.client.patchOf(gone.run, signal))).rejects.toMatchObject({
      code: 'API_PATCH_GONE',
      fix: expect.stringContaining('yard/t1-fix'),
    })
    await expect(bytesOf(yard.client.patchOf(other.id, signal))).rejects.toMatchObject({ code: 'API_NO_PATCH' })
    await expect(bytesOf(yard.client.patchOf(99, signal))).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
  })
})
