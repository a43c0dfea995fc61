import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findProgram } from '../../../src/kernel/process/index.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'yard-'))
  for (const folder of ['a', 'b', 'b/tool', 'c']) mkdirSync(join(root, folder))
  for (const [path, mode] of [
    ['a/plain', 0o644],
    ['c/plain', 0o755],
    ['c/tool', 0o755],
    ['a/only-plain', 0o644],
  ] as const) {
    writeFileSync(join(root, path), '#!/bin/sh\n')
    chmodSync(join(root, path), mode)
  }
  symlinkSync('../c/tool', join(root, 'a/link'))
  symlinkSync('nowhere', join(root, 'a/broken'))
})
afterAll(() => rmSync(root, { recursive: true }))

const find = (name: string, path = 'a:b:c') =>
  findProgram({
    name,
    path: path
      .split(':')
      .map((each) => join(root, each))
      .join(':'),
    cwd: join(root, 'c'),
  })

test('the first executable of that name on the PATH is taken; folders and plain files are passed over', () => {
  expect(find('plain')).toEqual({ kind: 'found', path: join(root, 'c/plain') })
  expect(find('tool')).toEqual({ kind: 'found', path: join(root, 'c/tool') })
})

test('a link keeps its name, since programs ask by which one they were called', () => {
  expect(find('link')).toEqual({ kind: 'found', path: join(root, 'a/link') })
})

test('C177: what is there but cannot be executed is told apart from what is not there', () => {
  expect(find('only-plain')).toEqual({ kind: 'not_executable', path: join(root, 'a/only-plain') })
  expect(find('broken')).toEqual({ kind: 'not_found' })
  expect(find('no-such')).toEqual({ kind: 'not_found' })
  expect(find('')).toEqual({ kind: 'not_found' })
})

test('a name with a slash is looked for from the folder of the task, not on the PATH', () => {
  expect(find('./tool')).toEqual({ kind: 'found', path: join(root, 'c/tool') })
  expect(find('../a/plain')).toEqual({ kind: 'not_executable', path: join(root, 'a/plain') })
  expect(find('../b/tool')).toEqual({ kind: 'not_executable', path: join(root, 'b/tool') })
  expect(find(join(root, 'c/tool'))).toEqual({ kind: 'found', path: join(root, 'c/tool') })
  expect(find('a/plain')).toEqual({ kind: 'not_found' })
})

test('an empty or relative part of the PATH means the folder of the task', () => {
  const cwd = join(root, 'c')
  expect(findProgram({ name: 'tool', path: '/nowhere:', cwd })).toEqual({ kind: 'found', path: join(cwd, 'tool') })
  expect(findProgram({ name: 'link', path: '../a', cwd })).toEqual({ kind: 'found', path: join(root, 'a/link') })
})
