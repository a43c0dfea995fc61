import { expect, test } from 'vitest'
import { explainGit } from '../../src/workspaces/explain-git.ts'
import type { GitFailed } from '../../src/workspaces/git.ts'
import { faultOfGit, faultOfSystem } from '../../src/workspaces/harvest-fault.ts'

const failed = (stderr: string): GitFailed => ({
  ok: false,
  exitCode: null,
  signal: null,
  stdout: '',
  stderr,
  timedOut: false,
  aborted: false,
  tooLong: false,
  missing: false,
})

test.each([
  'spawn git EAGAIN',
  'fatal: unable to create threaded lstat: Resource temporarily unavailable',
  'fatal: mmap failed: Cannot allocate memory',
  'error: cannot open .git/index: Too many open files',
])('a machine that is out of something for a while is no fault of the task: %s', (stderr) => {
  expect(explainGit(failed(stderr), { doing: 'make the worktree', repo: '/r' })).toMatchObject({ fault: 'short' })
  expect(faultOfGit('add', failed(stderr))).toMatchObject({ fault: 'short' })
})

test('nor is one that the system says of a file', () => {
  expect(faultOfSystem(Object.assign(new Error('spawn'), { code: 'EMFILE' }))).toMatchObject({ fault: 'short' })
})
