import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { findProgram } from '../../src/kernel/process/index.ts'
import { rehearse, requireFreshBuild } from './chat-worker.ts'
import { canSandbox } from './tools/terminal/sandbox/can-sandbox.ts'

beforeAll(requireFreshBuild)

const script = `
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "touch /etc/planted; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' '; echo x > made; env | grep -c KEY" } }]
      - say: Looked.
`

test('a chat that is to use a sandbox and has no bubblewrap ends before it has asked anything', async () => {
  await using yard = await rehearse(script)
  const bin = join(yard.folder, 'bin')
  mkdirSync(bin)
  const bash = findProgram({ name: 'bash', path: process.env.PATH ?? '', cwd: '/' })
  if (bash.kind === 'found') symlinkSync(bash.path, join(bin, 'bash'))

  const { code, stdout, stderr } = await yard.person(['-q', 'go', '--sandbox', 'bwrap'], { env: { PATH: bin } }).ended

  expect({ code, stdout, calls: yard.calls.length }).toEqual({ code: 1, stdout: '', calls: 0 })
  expect(stderr).toContain('commands cannot be put into a sandbox: bubblewrap (bwrap) is not installed')
  expect(stderr).toContain('[WORKER_NO_SANDBOX]')
})

test('with bubblewrap its commands run in it, or it says what the machine does not allow', async () => {
  await using yard = await rehearse(script)

  const { code, stderr } = await yard.boardWorker(['-q', 'go', '--sandbox', 'bwrap_offline']).ended

  expect(code).toBe(canSandbox ? 0 : 1)
  if (!canSandbox) {
    expect(stderr).toContain('[WORKER_NO_SANDBOX]')
    return
  }
  const told = yard.lastMessages().find(({ role }) => role === 'tool')?.content ?? ''
  expect(told).toContain("cannot touch '/etc/planted': Read-only file system")
  expect(told).toMatch(/\nlo\n0\n/) // its one network is its own, and no key is in its environment
  expect(yard.file('made')).toBe('x\n')
})
