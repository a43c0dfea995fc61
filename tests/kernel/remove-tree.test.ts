import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeTree } from '../../src/kernel/index.ts'

const never = new AbortController().signal

function aFolder(): Disposable & { readonly root: string; readonly tree: string } {
  const root = mkdtempSync(join(tmpdir(), 'yard-remove-'))
  const tree = join(root, 'tree')
  mkdirSync(tree)
  return { root, tree, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

test('a folder goes with everything in it: closed folders, dead links, names that are no text', async () => {
  using at = aFolder()
  mkdirSync(join(at.tree, 'closed'))
  writeFileSync(join(at.tree, 'closed', 'file'), 'x')
  chmodSync(join(at.tree, 'closed'), 0o500)
  symlinkSync('/nowhere', join(at.tree, 'dead'))
  writeFileSync(Buffer.concat([Buffer.from(`${at.tree}/`), Buffer.from([0xff, 0xfe, 0x41])]), 'x')
  for (let n = 0; n < 200; n += 1) writeFileSync(join(at.tree, `file-${n}`), '')
  await removeTree(at.tree, never)
  expect(existsSync(at.tree)).toBe(false)
  await removeTree(at.tree, never) // a second time is no error
})

test('no link is followed: what it leads to stays, also where the folder itself is one', async () => {
  using at = aFolder()
  const precious = join(at.root, 'precious')
  mkdirSync(precious)
  writeFileSync(join(precious, 'thesis'), 'x')
  symlinkSync(precious, join(at.tree, 'link'))
  await removeTree(at.tree, never)
  expect(readdirSync(precious)).toEqual(['thesis'])
  symlinkSync(precious, join(at.root, 'as-link'))
  await expect(removeTree(join(at.root, 'as-link'), never)).rejects.toThrow(/ELOOP|ENOTDIR/)
  expect(readdirSync(precious)).toEqual(['thesis'])
  expect(lstatSync(join(at.root, 'as-link')).isSymbolicLink()).toBe(true)
})

test('folders that their own user may not even read go, too', async () => {
  using at = aFolder()
  for (const mode of [0o000, 0o300]) {
    const closed = join(at.tree, `closed-${mode}`)
    mkdirSync(closed)
    writeFileSync(join(closed, 'file'), 'x')
    for (const path of [join(closed, 'file'), closed, at.tree, at.root]) chownSync(path, ordinaryUser, -1)
    chmodSync(closed, mode)
  }
  await asOrdinaryUser(() => removeTree(at.tree, never))
  expect(existsSync(at.tree)).toBe(false)
})

/** Root may read everything, so that nothing would be closed to it. */
const isRoot = process.geteuid?.() === 0
const ordinaryUser = isRoot ? 65_534 : (process.geteuid?.() ?? 0)

async function asOrdinaryUser(act: () => Promise<void>): Promise<void> {
  if (isRoot) process.seteuid?.(ordinaryUser)
  try {
    await act()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

test('a tree that is deeper than a process may have descriptors goes, too', async () => {
  using at = aFolder()
  let path = at.tree
  for (let level = 0; level < 300; level += 1) {
    path = join(path, 'd')
    mkdirSync(path)
  }
  writeFileSync(join(path, 'bottom'), 'x')
  const before = readdirSync('/proc/self/fd').length
  await removeTree(at.tree, never)
  expect(existsSync(at.tree)).toBe(false)
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before)
})

test('it ends early when it is told to, and a later one goes on', async () => {
  using at = aFolder()
  writeFileSync(join(at.tree, 'file'), 'x')
  await removeTree(at.tree, AbortSignal.abort())
  expect(existsSync(join(at.tree, 'file'))).toBe(true)
  await removeTree(at.tree, never)
  expect(existsSync(at.tree)).toBe(false)
})
