import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isPatchFileName,
  type PatchHeader,
  parsePatchHeader,
  patchFileName,
  renderPatchHeader,
} from '../../../src/cli/patch-files/index.ts'

const header: PatchHeader = {
  task: 5,
  run: 12,
  key: 'file[src/cart.ts]',
  title: 'Dates in src/cart.ts',
  repo: '/home/anna/code/shop',
  branch: 'yard/t5-file-src-cart-ts',
  baseRef: 'main',
  baseCommit: '4f1c2aa'.padEnd(40, '0'),
  headCommit: 'ab'.repeat(32),
  outcome: 'done',
  checked: true,
  bytes: 1_234,
}

const mailLines = ['From', 'From:', 'Subject:', 'MIME-Version:', 'Content-Type:', 'Content-Transfer-Encoding:']

describe('the header of a patch file', () => {
  test('says of which task it is, what it is against, and whether it was checked; and reads back', () => {
    const text = renderPatchHeader(header)
    expect(text).toContain('Yardmaster-Task: T5\n')
    expect(text).toContain('Yardmaster-Checked: yes\nYardmaster-Bytes: 1234\n---\n\n')
    expect(parsePatchHeader(`${text}diff --git a/x b/x\n`)).toEqual(header)
    const bare = { ...header, baseRef: null, checked: false }
    expect(parsePatchHeader(renderPatchHeader(bare))).toEqual(bare)
  })

  test('whatever a task is called, no line of it begins a diff or says another value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, title) => {
        const text = renderPatchHeader({
          ...header,
          key,
          title: `${title}\n\ndiff --git a/x b/x\nYardmaster-Checked: no`,
        })
        const [mail = '', ours = ''] = text.split('\n\n')
        expect(mail.split('\n').map((line) => line.split(' ')[0])).toEqual(mailLines)
        expect(ours.split('\n').filter((line) => !line.startsWith('Yardmaster-'))).toEqual(['---'])
        expect(text.trimEnd().split('\n')).toHaveLength(mailLines.length + 1 + 12 + 1)
        expect(parsePatchHeader(text)).toMatchObject({ task: 5, run: 12, checked: true, branch: header.branch })
      }),
    )
  })

  test('a file without one is none of ours', () => {
    for (const text of [
      '',
      'diff --git a/x b/x\n',
      'Yardmaster-Task: R5\n\n',
      'Yardmaster-Task: T5\nYardmaster-Run: R1\n\n',
    ])
      expect(parsePatchHeader(text)).toBeUndefined()
  })
})

describe('the name of a patch file', () => {
  test('is the task and its key, in letters that every file system takes', () => {
    expect(patchFileName({ task: 5, key: 'file[src/Cart.ts]' })).toBe('T5-file-src-cart-ts.patch')
    expect(patchFileName({ task: 5, key: 'Änderung' })).toBe('T5-anderung.patch')
    expect(patchFileName({ task: 5, key: '修正' })).toBe('T5.patch')
  })

  test('holds no path, no blank, and is known again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        const name = patchFileName({ task: 7, key })
        expect(name).toMatch(/^T7[a-z0-9-]*\.patch$/)
        expect(name.length).toBeLessThan(80)
        expect(isPatchFileName(name)).toBe(true)
      }),
    )
    for (const name of ['x.patch', 'T5.patch.1a2b', '../T5.patch', 'T05.patch'])
      expect(isPatchFileName(name)).toBe(false)
  })
})
