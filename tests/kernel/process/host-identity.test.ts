import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readHostIdentity } from '../../../src/kernel/process/index.ts'
import { bundleFixture, readFirstLine, startProgram } from './run-bundled.ts'

const root = mkdtempSync(join(tmpdir(), 'yard-host-'))
afterAll(() => rmSync(root, { recursive: true }))

const inNamespace = ['unshare', '--pid', '--fork', '--mount-proc']
const canUnshare = spawnSync('unshare', [...inNamespace.slice(1), 'true']).status === 0

test('an ordinary program takes nobody along', () => {
  expect(readHostIdentity().endsWithUs).toBe(false)
})

/** A shell under the name of an init, which waits for the program that it started. */
function initNamed(name: string, script: string): readonly string[] {
  const init = join(mkdtempSync(join(root, 'init-')), name)
  copyFileSync(realpathSync('/bin/sh'), init)
  return [...inNamespace, init, '-c', script]
}

test.skipIf(!canUnshare).each([
  ['the program is PID 1 itself', (program: string) => [...inNamespace, process.execPath, program], 'true'],
  ['it is the child of tini', (program: string) => initNamed('tini', `${process.execPath} ${program}; :`), 'true'],
  [
    'it is a child of tini that came later',
    (program: string) => initNamed('tini', `sleep 1.2; ${process.execPath} ${program}; :`),
    'false',
  ],
  ['PID 1 is a shell', (program: string) => initNamed('some-shell', `${process.execPath} ${program}; :`), 'false'],
] as const)('whether a pid namespace ends with a program is told: %s', async (_, argv, told) => {
  expect(await readFirstLine(startProgram(argv(await bundleFixture('tells-host.ts')), ''))).toBe(told)
})
