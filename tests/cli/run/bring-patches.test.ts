import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsePatchHeader } from '../../../src/cli/patch-files/index.ts'
import { buildReport } from '../../../src/cli/report/index.ts'
import { bringPatches } from '../../../src/cli/run/bring-patches.ts'
import { aChange } from '../a-view.ts'
import { aReport, aRow, done } from '../report/a-report.ts'

const diff = Buffer.from('diff --git a/x b/x\n+caf\u00e9 \n', 'latin1')

let dir: string
let asked: number[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'yard-patches-'))
  asked = []
})
afterEach(() => rmSync(dir, { recursive: true }))

/** Rows whose attempts left changes, as a report lists their patches. */
function patchesOf(rows: readonly { id: number; key: string; head?: string; checked?: boolean; nothing?: true }[]) {
  const tasks = rows.map(({ id, key, head = 'b'.repeat(40), checked = true, nothing }) =>
    aRow({ id, key, kind: 'prompt', status: 'done' }, [
      { ...done, checked, change: aChange({ head_commit: head, patch_bytes: nothing ? null : diff.length }) },
    ]),
  )
  return buildReport(aReport(tasks)).patches
}

const bring = (patches: ReturnType<typeof patchesOf>, broken: readonly number[] = []) =>
  bringPatches(
    {
      client: {
        async *patchOf(run) {
          asked.push(run)
          yield diff.subarray(0, 5)
          if (broken.includes(run)) throw new Error('it broke off')
          yield diff.subarray(5)
        },
      },
    },
    { dir, patches, signal: new AbortController().signal },
  )

const names = () => readdirSync(join(dir, 'patches')).sort()
const inode = (name: string) => statSync(join(dir, 'patches', name)).ino

describe('the patches of a report', () => {
  test('are one file for each task that changed something: what it is, and its bytes as they are', async () => {
    expect(
      await bring(
        patchesOf([
          { id: 5, key: 'file[src/a.ts]' },
          { id: 6, key: 'b', nothing: true },
        ]),
      ),
    ).toEqual([])
    expect(names()).toEqual(['T5-file-src-a-ts.patch'])
    const bytes = readFileSync(join(dir, 'patches', 'T5-file-src-a-ts.patch'))
    expect(bytes.subarray(-diff.length).equals(diff)).toBe(true)
    expect(parsePatchHeader(bytes.toString('latin1'))).toMatchObject({
      task: 5,
      run: 50,
      key: 'file[src/a.ts]',
      branch: 'yard/t5-fix',
      baseCommit: 'a'.repeat(40),
      headCommit: 'b'.repeat(40),
      outcome: 'done',
      checked: true,
    })
  })

  test('what is there already is neither asked for nor written again; what changed is', async () => {
    await bring(
      patchesOf([
        { id: 5, key: 'a' },
        { id: 6, key: 'b' },
      ]),
    )
    const before = [inode('T5-a.patch'), inode('T6-b.patch')]
    asked = []
    await bring(
      patchesOf([
        { id: 5, key: 'a' },
        { id: 6, key: 'b', head: 'c'.repeat(40) },
      ]),
    )
    expect(asked).toEqual([60])
    expect(inode('T5-a.patch')).toBe(before[0])
    expect(inode('T6-b.patch')).not.toBe(before[1])
  })

  test('whose check no longer holds says so', async () => {
    await bring(patchesOf([{ id: 5, key: 'a' }]))
    await bring(patchesOf([{ id: 5, key: 'a', checked: false }]))
    expect(readFileSync(join(dir, 'patches', 'T5-a.patch'), 'latin1')).toContain('Yardmaster-Checked: no\n')
  })

  test('of tasks that have none any more go, with what a kill has left; files of others stay', async () => {
    await bring(
      patchesOf([
        { id: 5, key: 'a' },
        { id: 6, key: 'b' },
      ]),
    )
    for (const name of ['T7-x.patch.0a1b2c3d', 'mine.patch', 'T5-a.patch.orig'])
      writeFileSync(join(dir, 'patches', name), '')
    await bring(patchesOf([{ id: 6, key: 'b' }]))
    expect(names()).toEqual(['T5-a.patch.orig', 'T6-b.patch', 'mine.patch'])
  })

  test('one that breaks off leaves no half of it, and the others are written', async () => {
    expect(
      await bring(
        patchesOf([
          { id: 5, key: 'a' },
          { id: 6, key: 'b' },
        ]),
        [50],
      ),
    ).toEqual([{ file: 'patches/T5-a.patch', why: 'it broke off' }])
    expect(names()).toEqual(['T6-b.patch'])
  })

  test('a batch that changed nothing makes no folder, and leaves none behind full', async () => {
    await bring([])
    expect(readdirSync(dir)).toEqual([])
    mkdirSync(join(dir, 'patches'))
    writeFileSync(join(dir, 'patches', 'T5-a.patch'), 'old')
    await bring([])
    expect(names()).toEqual([])
  })
})
