import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readProcessTable } from '../../src/kernel/process/index.ts'
import { type GitCall, type GitDeps, runGit } from '../../src/workspaces/git.ts'

let root: string
let deps: GitDeps
const stop = () => new AbortController()

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-git-')))
  deps = { env: { PATH: process.env.PATH, HOME: root }, signal: stop().signal }
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const git = (args: readonly string[], more: Partial<GitCall> = {}, gitDeps = deps) =>
  runGit(gitDeps, { cwd: root, args, ...more })

/** A program of the test's own, first in PATH. */
function program(name: string, text: string): GitDeps {
  mkdirSync(join(root, 'bin'), { recursive: true })
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${text}\n`)
  chmodSync(join(root, 'bin', name), 0o755)
  return { ...deps, env: { ...deps.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` } }
}

describe('git as we start it', () => {
  test('what it says is answered, as text and as bytes', async () => {
    expect(await git(['init', '-q', '-b', 'main'])).toMatchObject({ ok: true, stdout: '' })
    const answer = await git(['symbolic-ref', 'HEAD'])
    expect(answer).toMatchObject({ ok: true, stdout: 'refs/heads/main\n', bytes: Buffer.from('refs/heads/main\n') })
  })

  test('a refusal is an answer with code and words, never thrown', async () => {
    const answer = await git(['rev-parse', '--verify', 'nothing'])
    expect(answer).toMatchObject({ ok: false, exitCode: 128, timedOut: false, missing: false })
    expect(answer.stderr).toContain('not a git repository')
  })

  test('no git on this machine is told apart from a folder that is gone', async () => {
    const without = { ...deps, env: { PATH: join(root, 'empty') } }
    expect(await git(['version'], {}, without)).toMatchObject({ ok: false, missing: true, exitCode: null })
    expect(await git(['version'], { cwd: join(root, 'gone') })).toMatchObject({ ok: false, missing: false })
    const wrapped = { ...without, wrapper: ['/usr/bin/env', '--'] }
    expect(await git(['version'], {}, wrapped)).toMatchObject({ ok: false, missing: true })
  })

  test('it sees neither secrets nor another repository of the hub, and cannot ask anybody', async () => {
    const told = program('git', 'env')
    const env = { ...told.env, GIT_DIR: '/elsewhere', GIT_INDEX_FILE: '/x', OPENAI_API_KEY: 'sk-1', https_proxy: 'p:1' }
    const answer = await git(['anything'], { env: { GIT_AUTHOR_DATE: '@1' } }, { ...told, env })
    expect(answer.stdout).not.toMatch(/GIT_DIR|GIT_INDEX_FILE|sk-1/)
    for (const set of ['GIT_TERMINAL_PROMPT=0', 'LC_ALL=C', 'https_proxy=p:1', 'GIT_AUTHOR_DATE=@1', 'BatchMode=yes']) {
      expect(answer.stdout).toContain(set)
    }
  })

  test('hooks and programs that a worker wrote into the configuration do not run as us', async () => {
    await git(['init', '-q'])
    writeFileSync(join(root, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\ntouch ${root}/ran\n`)
    chmodSync(join(root, '.git', 'hooks', 'post-checkout'), 0o755)
    await git(['config', 'core.hooksPath', join(root, '.git', 'hooks')])
    await git(['config', 'core.fsmonitor', `touch ${root}/ran`])
    await git(['config', 'commit.gpgSign', 'true'])
    const id = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' }
    expect(await git(['commit', '-q', '--allow-empty', '-m', 'one'], { env: id })).toMatchObject({ ok: true })
    expect(await git(['checkout', '-q', '-b', 'other'])).toMatchObject({ ok: true })
    expect(await git(['status'])).toMatchObject({ ok: true })
    expect(() => readFileSync(join(root, 'ran'))).toThrow('ENOENT')
  })

  test('input and output may be files, for what is too large to hold', async () => {
    await git(['init', '-q'])
    writeFileSync(join(root, 'in'), 'hello\n')
    const [input, output] = [openSync(join(root, 'in'), 'r'), openSync(join(root, 'out'), 'w')]
    const wrote = await git(['hash-object', '-w', '--stdin'], { inputFrom: input })
    const read = await git(['cat-file', 'blob', wrote.stdout.trim()], { outputInto: output })
    closeSync(input)
    closeSync(output)
    expect(read).toMatchObject({ ok: true, stdout: '' })
    expect(readFileSync(join(root, 'out'), 'utf8')).toBe('hello\n')
    expect(await git(['hash-object', '--stdin'], { input: 'hello\n' })).toMatchObject({ stdout: wrote.stdout })
  })

  test('more output than allowed is a failure that says so, and no memory', async () => {
    expect(await git(['help', '-a'], { maxBytes: 100 })).toMatchObject({ ok: false, tooLong: true })
  })

  test('one that does not answer is ended at its deadline', async () => {
    const slow = program('git', 'echo $$ > pid; exec sleep 600')
    expect(await git(['fetch'], { timeoutMs: 100 }, slow)).toMatchObject({ ok: false, timedOut: true, aborted: false })
  })

  test('a deadline also ends what git has started, if need be by KILL', async () => {
    const pipe = join(root, 'started')
    const hanging = `sh -c "trap '' TERM; echo \\$\\$ > ${pipe}; sleep 600; true" &`
    const slow = program('git', `mkfifo ${pipe}; ${hanging} wait`)
    const asked = git(['add', '.'], { timeoutMs: 3_000 }, slow)
    const filter = await readWhenThere(pipe)
    expect(await asked).toMatchObject({ ok: false, timedOut: true })
    while (readProcessTable()?.has(filter) !== false) await new Promise((resolve) => setImmediate(resolve))
  })

  test('a stop ends it, and the answer comes when it is gone', async () => {
    const pipe = join(root, 'started')
    const slow = program('git', `mkfifo ${pipe}; echo $$ > ${pipe}; exec sleep 600`)
    const over = stop()
    const asked = git(['fetch'], {}, { ...slow, signal: over.signal })
    const pid = await readWhenThere(pipe)
    over.abort()
    expect(await asked).toMatchObject({ ok: false, aborted: true, timedOut: false })
    expect(readProcessTable()?.has(pid)).toBe(false)
    expect(await git(['version'], {}, { ...deps, signal: over.signal })).toMatchObject({ ok: false, aborted: true })
  })

  test('a deadline also ends what talks to a server that never answers', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/shop.git`
    const gone = new Promise((resolve) => silent.on('connection', (socket) => socket.on('close', resolve)))

    const asked = git(['ls-remote', url], { reach: 'network', timeoutMs: 4_000 })

    expect(await asked).toMatchObject({ ok: false, timedOut: true, aborted: false })
    await gone
    await new Promise((resolve) => silent.close(resolve))
  })

  test('a stop also ends what talks to a server that never answers', async () => {
    const over = stop()
    const silent = createServer(() => over.abort())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/shop.git`
    const gone = new Promise((resolve) => silent.on('connection', (socket) => socket.on('close', resolve)))

    const asked = git(['ls-remote', url], { reach: 'network' }, { ...deps, signal: over.signal })

    expect(await asked).toMatchObject({ ok: false, aborted: true, timedOut: false })
    await gone
    await new Promise((resolve) => silent.close(resolve))
  })
})

/** Opening a pipe waits for its other end. */
async function readWhenThere(pipe: string): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  for (;;) {
    const text = await readFile(pipe, 'utf8').catch(() => '')
    if (text !== '') return Number(text)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
