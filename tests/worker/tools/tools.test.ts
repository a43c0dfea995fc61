import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createValueMask, systemClock } from '../../../src/kernel/index.ts'
import { readStat } from '../../../src/kernel/process/index.ts'
import { runTool } from '../../../src/worker/tools/run-tool.ts'
import { createTools, type ToolSetDeps } from '../../../src/worker/tools/tool-set.ts'

let outside: string
let workspace: string
let stop: AbortController
let deps: ToolSetDeps

beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'yardmaster-tools-')))
  workspace = join(outside, 'workspace')
  mkdirSync(workspace)
  stop = new AbortController()
  deps = {
    clock: systemClock,
    workspace,
    env: { PATH: process.env.PATH },
    boardWorker: false,
    knownSecrets: [],
    maskKnown: createValueMask([]),
    commandTimeoutMs: 10_000,
    given: undefined,
    handedBack: undefined,
  }
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
})

const use = async (name: string, args: object) =>
  (
    await runTool(
      createTools(deps),
      { id: 'c', name, argumentsText: JSON.stringify(args) },
      {
        signal: stop.signal,
        attention: new AbortController().signal,
      },
    )
  ).text
const terminal = (command: string, more: object = {}) => use('terminal', { command, ...more })

describe('the terminal', () => {
  test('tells output and exit code, also one that only looks like a time-out', async () => {
    expect(await terminal('echo out; echo err >&2; exit 124')).toMatch(/^out\nerr\n\n\[exit 124, [\d.]+s\]$/)
    expect(await terminal('true')).toMatch(/^\[no output\]\n\[exit 0/)
    expect(await terminal('kill -9 $$')).toContain('[ended by SIGKILL')
  })

  test('keeps the head and the tail of a long output, names the cut, and needs no memory for the rest', async () => {
    const text = await terminal('echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last')

    expect(text.startsWith('first\nxxx')).toBe(true)
    expect(text).toMatch(/last\n\n\[exit 0/)
    expect(text).toContain(`[… ${50_000_000 + 6 + 1 + 5 - 30_000} bytes left out here …]`)
    expect(text.length).toBeLessThan(30_200)
  })

  test('shows control characters and invalid bytes as text', async () => {
    expect(await terminal('printf "\\033[31mred\\033[0m \\000 \\377 \\a"')).toMatch(/^red \\x00 \ufffd \\x07\n/)
  })

  test('ends a command at its limit with all that it started, and says that it was the limit', async () => {
    const text = await terminal('sleep 60 & echo $! > child; trap "" TERM; while :; do sleep 0.05; done', {
      timeout_seconds: 1,
    })

    expect(text).toContain('[stopped after its limit of 1s')
    expect(readStat(Number(readFileSync(join(workspace, 'child'), 'utf8')))).toBe('gone')
  })

  test('does not wait for what a command leaves in the background, and says that it still runs', async () => {
    const text = await terminal('sleep 30 & echo $! > child; echo started')
    const child = Number(readFileSync(join(workspace, 'child'), 'utf8'))
    onTestFinished(() => void process.kill(child, 'SIGKILL'))

    expect(text).toMatch(/^started\n\n\[exit 0, [\d.]+s\]\n\[something it started still runs/)
    expect(readStat(child)).not.toBe('gone')
  })

  test('is stopped with the worker', async () => {
    const running = terminal('echo $$; sleep 60')
    setImmediate(() => stop.abort())

    expect(await running).toContain('stopped because the worker was told to stop')
  })

  test('a command over the limit of the system is refused with its byte count', async () => {
    expect(await terminal(`echo ${'x'.repeat(140_000)}`)).toContain(
      'not started: it has 140005 bytes, more than 131071',
    )
  })

  test('a workspace that is gone, and a missing bash, are told and not thrown', async () => {
    deps = { ...deps, env: { PATH: '/nowhere' } }
    expect(await terminal('true')).toContain('bash was not found')
    rmSync(workspace, { recursive: true })
    deps = { ...deps, env: { PATH: process.env.PATH } }
    expect(await terminal('true')).toContain('workspace is gone')
  })

  test("a person's own variables are not handed to commands", async () => {
    deps = { ...deps, env: { PATH: process.env.PATH, AWS_SECRET: 'x', HOME: '/home/me' } }

    const said = await terminal('env')

    expect(said).toContain('HOME=/home/me')
    expect(said).not.toContain('AWS_SECRET')
  })
})

describe('reading', () => {
  test('gives lines as they are, and how to go on', async () => {
    writeFileSync(join(workspace, 'a.txt'), Array.from({ length: 5 }, (_, n) => `line ${n + 1}\n`).join(''))

    expect(await use('read', { path: 'a.txt' })).toBe('line 1\nline 2\nline 3\nline 4\nline 5')
    expect(await use('read', { path: 'a.txt', first_line: 2, lines: 2 })).toBe(
      'line 2\nline 3\n[lines 2 to 3 of 5; go on with first_line 4]',
    )
  })

  test('cuts long lines and many lines, and names both cuts', async () => {
    writeFileSync(join(workspace, 'long'), `${'y'.repeat(5_000)}\n${'z\n'.repeat(3_000)}`)

    const text = await use('read', { path: 'long' })

    expect(text).toContain('[… 3000 characters left out]')
    expect(text).toContain('[lines 1 to 2000 of 3001; go on with first_line 2001]')
  })

  test.each([
    ['a file that is missing', 'none.txt', 'cannot be read (ENOENT)'],
    ['a folder', '.', 'is no file'],
    ['no text', 'binary', 'is no text'],
    ['a file that is too large', 'huge', 'look at parts of it'],
    ['a path that leads out', '../secret', 'outside the workspace'],
    ['a link that leads out', 'link', 'outside the workspace'],
    ['a link below a link that leads out', 'folder/secret', 'outside the workspace'],
    ['an absolute path', '/etc/passwd', 'outside the workspace'],
  ])('%s is refused in words', async (_, path, says) => {
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
    symlinkSync(outside, join(workspace, 'folder'))
    writeFileSync(join(workspace, 'binary'), Buffer.from([1, 0, 2]))
    writeFileSync(join(workspace, 'huge'), Buffer.alloc(17 * 1024 * 1024, 'x'))

    expect(await use('read', { path })).toMatch(new RegExp(`^error: .*${says.replace(/[()]/g, '\\$&')}`))
  })
})

describe('C93 · files that people gave', () => {
  const give = () => {
    const given = join(outside, 'given')
    mkdirSync(given)
    writeFileSync(join(given, 'spec.txt'), 'the spec\n')
    deps = { ...deps, given, env: { ...deps.env, YARDMASTER_ATTACHMENTS: given }, boardWorker: true }
    return given
  }

  test('are read by their whole path, and by commands through their folder', async () => {
    const given = give()
    expect(await use('read', { path: join(given, 'spec.txt') })).toBe('the spec')
    expect(await terminal('cat "$YARDMASTER_ATTACHMENTS/spec.txt"')).toContain('the spec')
  })

  test('open nothing else: not beside them, not through a link among them, and nothing is written there', async () => {
    const given = give()
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(join(outside, 'secret'), join(given, 'link'))
    expect(await use('read', { path: join(outside, 'secret') })).toContain('outside the workspace')
    expect(await use('read', { path: join(given, 'link') })).toContain('outside the workspace')
    expect(await use('read', { path: join(given, '..', 'secret') })).toContain('outside the workspace')
    expect(await use('write', { path: join(given, 'x'), content: 'x' })).toContain('outside the workspace')
  })
})

describe('handing back', () => {
  test('C93 · a file of the workspace is noted for the report, once', async () => {
    const handedBack: string[] = []
    deps = { ...deps, handedBack }
    writeFileSync(join(workspace, 'shot.png'), 'pixels')
    expect(await use('hand_back', { path: 'shot.png' })).toBe('shot.png is handed back with your answer (6 B)')
    expect(await use('hand_back', { path: './shot.png' })).toBe('shot.png is handed back with your answer (6 B)')
    expect(handedBack).toEqual([join(workspace, 'shot.png')])
  })

  test.each([
    ['a file that is not there', 'gone', 'gone is not there'],
    ['an empty file', 'empty', 'empty is empty'],
    ['a folder', 'folder', 'folder is no file'],
    ['C92 · a file of 26 MB', 'big.bin', 'big.bin is too large: it has 26 MiB, more than 25 MiB'],
    ['a file outside', '../secret', 'outside the workspace'],
    ['a link that leads out', 'link', 'outside the workspace'],
  ])('%s is refused in words', async (_, path, says) => {
    const handedBack: string[] = []
    deps = { ...deps, handedBack }
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
    mkdirSync(join(workspace, 'folder'))
    writeFileSync(join(workspace, 'empty'), '')
    writeFileSync(join(workspace, 'big.bin'), '')
    truncateSync(join(workspace, 'big.bin'), 26 * 1_024 * 1_024)
    expect(await use('hand_back', { path })).toContain(says)
    expect(handedBack).toEqual([])
  })

  test('is offered to whom a board has started, and to nobody else', () => {
    const names = (handedBack: string[] | undefined) => createTools({ ...deps, handedBack }).map(({ name }) => name)
    expect(names([])).toEqual(['terminal', 'read', 'write', 'hand_back'])
    expect(names(undefined)).toEqual(['terminal', 'read', 'write'])
  })
})

describe('writing', () => {
  test('makes folders, keeps the mode of a file, and leaves nothing beside it', async () => {
    writeFileSync(join(workspace, 'run.sh'), 'old')
    chmodSync(join(workspace, 'run.sh'), 0o755)

    expect(await use('write', { path: 'run.sh', content: 'new' })).toBe('wrote run.sh, 3 bytes')
    expect(await use('write', { path: 'a/b/c.txt', content: '' })).toBe('wrote new a/b/c.txt, 0 bytes')

    expect(statSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(readFileSync(join(workspace, 'run.sh'), 'utf8')).toBe('new')
    expect(readdirSync(workspace).toSorted()).toEqual(['a', 'run.sh'])
  })

  test('follows a link inside the workspace and keeps it a link', async () => {
    writeFileSync(join(workspace, 'real'), 'old')
    symlinkSync('real', join(workspace, 'link'))

    await use('write', { path: 'link', content: 'new' })

    expect(readFileSync(join(workspace, 'real'), 'utf8')).toBe('new')
  })

  test.each([
    ['out of the workspace', '../x', 'outside the workspace'],
    ['through a link', 'folder/x', 'outside the workspace'],
    ['through a link that points at nothing yet', 'dangling', 'outside the workspace'],
    ['into git', '.git/hooks/pre-commit', 'belongs to git'],
    ['over a folder', 'sub', 'is no file'],
    ['below a file', 'file/x', 'cannot be written'],
    ['with a zero byte', 'a\0b', 'zero byte'],
  ])('%s is refused in words', async (_, path, says) => {
    symlinkSync(outside, join(workspace, 'folder'))
    symlinkSync(join(outside, 'not-there'), join(workspace, 'dangling'))
    mkdirSync(join(workspace, 'sub'))
    writeFileSync(join(workspace, 'file'), 'kept')

    expect(await use('write', { path, content: 'x' })).toMatch(new RegExp(`^error: .*${says}`))

    expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('kept')
    expect(existsSync(join(outside, 'x')) || existsSync(join(outside, 'not-there'))).toBe(false)
  })
})
