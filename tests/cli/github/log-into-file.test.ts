import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildProgram } from '../program.ts'

beforeAll(buildProgram, 60_000)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yard-into-file-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function type(
  argv: readonly string[],
  { home, stdout = 'pipe' }: { readonly home: string; readonly stdout?: 'pipe' | number },
) {
  const env = { PATH: process.env.PATH, HOME: root, YARDMASTER_HOME: home, CI: 'true', GITHUB_ACTIONS: 'true' }
  const options = { cwd: root, env, stdio: ['ignore', stdout, 'pipe'] as ['ignore', 'pipe' | number, 'pipe'] }
  return String(execFileSync(process.execPath, [resolve('dist/bin.cjs'), ...argv], options) ?? '')
}

test('under GitHub a log is made harmless where the runner reads it, and left as it is in a file', () => {
  const task = { run: ['printf', '::error::x\\n##[group]y\\n'] }
  writeFileSync(join(root, 'b.yaml'), JSON.stringify({ tasks: { a: task } }))
  const said = type(['run', 'b.yaml'], { home: join(root, 'home') })
  const [, home = ''] = /YARDMASTER_HOME=(\S+);/.exec(said) ?? []
  expect(type(['log', 'T1'], { home })).toBe(': :error::x\n## [group]y\n')
  const stdout = openSync(join(root, 'log.txt'), 'w')
  type(['log', 'T1'], { home, stdout })
  closeSync(stdout)
  expect(readFileSync(join(root, 'log.txt'), 'utf8')).toBe('::error::x\n##[group]y\n')
})
