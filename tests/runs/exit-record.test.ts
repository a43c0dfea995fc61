import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readExitRecord } from '../../src/runs/index.ts'
import { makeFolder } from './run-folder.ts'

function recordOf(content: string | Buffer) {
  const runDir = makeFolder()
  writeFileSync(join(runDir, 'exit'), content)
  return readExitRecord(runDir)
}
const blank = ' '.repeat(16)
/** As the shim writes it: over the beginning of the prepared file. */
const written = (text: string) => text + blank.slice(text.length)

test.each([
  ['0\n', { kind: 'code', code: 0 }],
  ['7\n', { kind: 'code', code: 7 }],
  ['75\n', { kind: 'code', code: 75 }],
  ['128\n', { kind: 'code', code: 128 }],
  ['130\n', { kind: 'signal', signal: 'SIGINT' }],
  ['137\n', { kind: 'signal', signal: 'SIGKILL' }],
  ['143\n', { kind: 'signal', signal: 'SIGTERM' }],
  ['159\n', { kind: 'signal', signal: 'SIGSYS' }],
  ['160\n', { kind: 'code', code: 160 }],
  ['255\n', { kind: 'code', code: 255 }],
  ['never\n', 'never'],
])('%j in place is read as what it says', (text, end) => {
  expect(recordOf(written(text))).toEqual(end)
})

test.each([
  ['the prepared file', blank],
  ['an empty file', ''],
  ['a code without its newline', written('7')],
  ['half a word', written('nev')],
  ['a file without its filling', '7\n'],
  ['a longer file', `${written('7\n')} `],
  ['a code over 255', written('256\n')],
  ['four digits', written('1000\n')],
  ['a negative code', written('-1\n')],
  ['two lines', written('7\n8\n')],
  ['a code behind a blank', written(' 7\n')],
  ['NUL bytes', Buffer.alloc(16)],
  ['foreign text', 'hello, world!!!!'],
])('%s is no record: not knowable is never 0', (_what, content) => {
  expect(recordOf(content)).toBeNull()
})

test('what is no file any more is no record, and is not waited for', () => {
  const runDir = makeFolder()
  expect(readExitRecord(runDir)).toBeNull()
  expect(readExitRecord(join(runDir, 'gone'))).toBeNull()
  mkdirSync(join(runDir, 'exit'))
  expect(readExitRecord(runDir)).toBeNull()
  rmSync(join(runDir, 'exit'), { recursive: true })
  execFileSync('mkfifo', [join(runDir, 'exit')])
  expect(readExitRecord(runDir)).toBeNull()
  rmSync(join(runDir, 'exit'))
  writeFileSync(join(runDir, 'elsewhere'), written('0\n'))
  symlinkSync('elsewhere', join(runDir, 'exit'))
  expect(readExitRecord(runDir)).toBeNull()
})
