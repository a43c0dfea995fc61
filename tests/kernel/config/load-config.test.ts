import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { laneReadiness, loadYardConfig, parseConfig, readSecret } from '../../../src/kernel/config/index.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yard-config-'))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function put(path: string, text: string): string {
  const file = join(root, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
  return file
}

const load = (from: string, more: { explicit?: string; env?: Record<string, string> } = {}) =>
  loadYardConfig({
    explicit: more.explicit,
    env: more.env ?? {},
    cwd: join(root, from),
    home: join(root, 'home'),
  })

describe('which file counts', () => {
  test('the first hit wins: --config, then the variable, then upwards to the repository root, then the user', () => {
    const flag = put('elsewhere/flag.yaml', 'slots: 2')
    const variable = put('elsewhere/env.yaml', 'slots: 3')
    const repository = put('repo/yardmaster.yaml', 'slots: 4')
    const users = put('home/.config/yardmaster/yardmaster.yaml', 'slots: 5')
    mkdirSync(join(root, 'repo/.git'))
    mkdirSync(join(root, 'repo/src/deep'), { recursive: true })
    mkdirSync(join(root, 'plain'))
    const env = { YARDMASTER_CONFIG: variable }

    expect(load('repo/src/deep', { explicit: flag, env })).toMatchObject({ file: flag, slots: 2 })
    expect(load('repo/src/deep', { env })).toMatchObject({ file: variable, slots: 3 })
    expect(load('repo/src/deep')).toMatchObject({ file: repository, slots: 4 })
    expect(load('plain')).toMatchObject({ file: users, slots: 5 })
  })

  test('the search stops at the repository root, and outside a repository at the current folder', () => {
    put('yardmaster.yaml', 'slots: 7')
    mkdirSync(join(root, 'repo/.git'), { recursive: true })
    mkdirSync(join(root, 'plain'))
    expect(load('repo').file).toBeNull()
    expect(load('plain').file).toBeNull()
    expect(load('.').slots).toBe(7)
  })

  test("a configuration folder set by XDG_CONFIG_HOME is the user's", () => {
    const users = put('xdg/yardmaster/yardmaster.yaml', 'slots: 6')
    mkdirSync(join(root, 'plain'))
    expect(load('plain', { env: { XDG_CONFIG_HOME: join(root, 'xdg') } }).file).toBe(users)
  })

  test('a file that was named and does not exist is an error, not an empty yard', () => {
    expect(() => load('.', { explicit: 'gone.yaml' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_NOT_FOUND', status: 400, message: expect.stringContaining('--config') }),
    )
    expect(() => load('.', { env: { YARDMASTER_CONFIG: 'gone.yaml' } })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('$YARDMASTER_CONFIG') }),
    )
  })
})

describe('files that cannot be used', () => {
  test('a folder and bytes that are no text are refused with the reason', () => {
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'bytes.yaml'), Buffer.from([0x73, 0x6c, 0xff, 0xfe, 0x00]))
    expect(() => load('.', { explicit: 'folder' })).toThrow(/it is a folder/)
    expect(() => load('.', { explicit: 'bytes.yaml' })).toThrow(/it is not UTF-8 text/)
  })

  test('all faults are in the message and, for programs, in its values', () => {
    put('yardmaster.yaml', 'slots: 0\nlane: {}\n')
    expect(() => load('.')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/has 2 faults:\n.*yaml:1 {2}slots must be.*\n.*yaml:2 {2}lane is not known/),
        values: expect.objectContaining({ faults: [expect.anything(), expect.anything()] }),
      }),
    )
  })
})

describe('secrets', () => {
  const env = { PATH: process.env.PATH, KEY: ' sk-1 \n', EMPTY: '' }

  test('come from the environment, a file or a command, without the line end around them', async () => {
    const file = put('key', 'sk-2\n')
    expect(await readSecret({ env: 'KEY' }, { env })).toEqual({ ok: true, value: 'sk-1' })
    expect(await readSecret({ file }, { env })).toEqual({ ok: true, value: 'sk-2' })
    expect(await readSecret({ command: ['echo', 'sk-3'] }, { env })).toEqual({ ok: true, value: 'sk-3' })
    expect(await readSecret('none', { env })).toEqual({ ok: true, value: null })
  })

  test('that are missing are told by where they would come from', async () => {
    expect(await readSecret({ env: 'GONE' }, { env })).toEqual({ ok: false, says: 'GONE is not set' })
    expect(await readSecret({ env: 'EMPTY' }, { env })).toEqual({ ok: false, says: 'EMPTY is not set' })
    expect(await readSecret({ file: '/no/such' }, { env })).toMatchObject({ says: '/no/such cannot be read (ENOENT)' })
    expect(await readSecret({ command: ['false'] }, { env })).toMatchObject({ says: 'false ended with exit 1' })
    expect(await readSecret({ command: ['no-such-program'] }, { env })).toMatchObject({
      says: 'no-such-program could not be run (ENOENT)',
    })
  })

  test('are taken from a plain file of the size of one only: a pipe would make the hub wait for its writer', async () => {
    const pipe = join(root, 'pipe')
    execFileSync('mkfifo', [pipe])
    const writer = spawn('sh', ['-c', 'echo sk-4 > "$0"', pipe])
    expect(await readSecret({ file: pipe }, { env })).toEqual({ ok: false, says: `${pipe} is no plain file` })
    writer.kill('SIGKILL')
    const large = put('large', 'x'.repeat(65_537))
    expect(await readSecret({ file: large }, { env })).toMatchObject({
      ok: false,
      says: expect.stringContaining('large'),
    })
    expect(await readSecret({ file: root }, { env })).toEqual({ ok: false, says: `${root} is no plain file` })
  })

  test('a password command that leaves an agent behind, with its output open, is not waited for', async () => {
    const pidFile = join(root, 'agent-pid')
    const command = ['sh', '-c', `sleep 300 & echo $! > ${pidFile}; echo sk-6`]
    try {
      expect(await readSecret({ command }, { env })).toEqual({ ok: true, value: 'sk-6' })
    } finally {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
    }
  })

  test('a password command that waits for input gets end-of-file instead of waiting for ever', async () => {
    expect(await readSecret({ command: ['cat'] }, { env })).toEqual({ ok: false, says: 'cat gave nothing' })
  })

  test('that are missing are no fault of the file: the lane says that it is not ready', async () => {
    const parsed = parseConfig({
      text: 'accounts: { a: { key: { env: GONE } } }\nlanes: { chat: { account: a, model: m }, free: { uses: command } }',
      file: '/yard/yardmaster.yaml',
      cores: 2,
    })
    if (!parsed.ok) throw new Error('the file is right')
    expect(await laneReadiness(parsed.config, { env })).toEqual([
      { name: 'chat', uses: 'chat', ready: false, says: 'no key for account a: GONE is not set' },
      { name: 'command', uses: 'command', ready: true, says: 'ready' },
      { name: 'free', uses: 'command', ready: true, says: 'ready' },
    ])
  })
})

test('a file without permission to read is named with the reason', { skip: process.getuid?.() === 0 }, () => {
  const file = put('yardmaster.yaml', 'slots: 1')
  chmodSync(file, 0o000)
  expect(() => load('.')).toThrow(/its permissions forbid it/)
})
