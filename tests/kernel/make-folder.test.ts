import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../../src/kernel/index.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'yard-folder-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('everything that is missing on the way is made, with the asked mode', () => {
  makeFolder(join(base, 'a/b/c'), 0o700)
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(base, made)).mode & 0o777).toBe(0o700)
})

test('a folder that is there, or a link to one, is taken as it is', () => {
  makeFolder(join(base, 'a'), 0o755)
  symlinkSync(join(base, 'a'), join(base, 'link'))
  makeFolder(join(base, 'a'), 0o700)
  makeFolder(join(base, 'link/b'))
  expect(statSync(join(base, 'a')).mode & 0o777).toBe(0o755)
  expect(statSync(join(base, 'a/b')).isDirectory()).toBe(true)
})

test('a file in the way is said, and not asked for again', () => {
  writeFileSync(join(base, 'file'), '')
  expect(() => makeFolder(join(base, 'file'))).toThrow('EEXIST')
  expect(() => makeFolder(join(base, 'file/below'))).toThrow('ENOTDIR')
})

test('a place where nothing can be made is said at once', () => {
  expect(() => makeFolder('/proc/yardmaster-nowhere/log')).toThrow('ENOENT')
})
