import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKey, rehearse, requireFreshBuild, Worker } from './chat-worker.ts'

beforeAll(requireFreshBuild)

const folder = mkdtempSync(join(tmpdir(), 'yardmaster-chat-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const nobody = 'http://127.0.0.1:9/v1'
const start = (args: readonly string[], env: Record<string, string> = {}) =>
  new Worker(args, { cwd: folder, env }).ended

describe('bad input ends with 1 and says what to do', () => {
  test('all faults of the arguments at once, each with the nearest flag or the right form', async () => {
    const { code, stderr, stdout } = await start([
      ...['-q', 'hi', '--modle', 'm', '--max-turns', 'many', '--idle-timeout', '30', '--base-url', 'ftp://x'],
      ...['--run', '981x', '--retries=-1', 'stray'],
    ])

    expect([code, stdout]).toEqual([1, ''])
    for (const fault of [
      '--modle is not known: did you mean --model?',
      '--model NAME is missing',
      '--max-turns must be a whole number, not many',
      '--idle-timeout must be a duration such as 30s, not 30',
      '--base-url ftp://x is no http or https address',
      '--run 981x is no run such as R981',
      '--report, --run and --fence go together',
      '--retries must be a whole number, not -1',
      'stray belongs to no flag',
      'WORKER_BAD_ARGUMENTS',
    ]) {
      expect(stderr).toContain(fault)
    }
  })

  test.each([['0s'], ['25h'], ['Infinity'], ['true']])(
    'a time-out of %s is refused, never taken for "none"',
    async (text) => {
      const { code, stderr } = await start(['-q', 'hi', '--model', 'm', '--first-byte-timeout', text])

      expect(code).toBe(1)
      expect(stderr).toContain('--first-byte-timeout')
    },
  )

  test('a board worker with bad arguments still leaves its report', async () => {
    const report = join(folder, 'report.json')
    await using yard = await rehearse('plays: [{ turns: [{ say: hi }] }]')

    expect((await yard.boardWorker(['--max-turns', '0']).ended).code).toBe(1)
    expect(yard.report()).toMatchObject({ status: 'failed', reason: 'bad_arguments' })
    expect(report).not.toBe(yard.reportFile)
  })

  test('nothing to do is refused', async () => {
    expect(await start(['--model', 'm'])).toMatchObject({ code: 1, stdout: '' })
    expect((await start(['--model', 'm', '-q', ' '])).stderr).toContain('-q is empty')
  })

  test('a current folder that has been removed is no fault of the worker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yardmaster-gone-'))
    const line = `rmdir "$PWD" && exec "${process.execPath}" "${resolve('dist/bin.cjs')}" chat -q hi --model m --no-key`

    const ended = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' })

    expect(ended.status).toBe(1)
    expect(ended.stderr).toContain('chat cannot start: the current folder has been removed')
  })

  test('no key: both variables are named, nothing is asked', async () => {
    const { code, stderr } = await start(['-q', 'hi', '--model', 'm', '--base-url', nobody], { YARDMASTER_API_KEY: '' })

    expect(code).toBe(1)
    expect(stderr).toContain('no API key: none of YARDMASTER_API_KEY, OPENAI_API_KEY is set')
    expect(stderr).toContain('WORKER_NO_KEY')
  })

  test('a person may use OPENAI_API_KEY and OPENAI_BASE_URL', async () => {
    await using yard = await rehearse('key: own-key-of-person\nplays: [{ turns: [{ say: hello }] }]')
    const env = { YARDMASTER_API_KEY: '', OPENAI_API_KEY: 'own-key-of-person', OPENAI_BASE_URL: yard.baseUrl }

    expect(await start(['-q', 'hi', '--model', 'm'], env)).toMatchObject({ code: 0, stdout: 'hello\n' })
  })

  test("a board worker never falls back on a person's key", async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: hello }] }]')
    const env = { YARDMASTER_API_KEY: '', OPENAI_API_KEY: 'own-key-of-person' }

    expect((await yard.boardWorker(['-q', 'hi'], { env }).ended).code).toBe(1)
    expect(yard.calls).toHaveLength(0)
    expect(yard.report()).toMatchObject({ status: 'failed', reason: 'auth', needsHuman: 'access' })
  })

  test('a server that needs no key gets none', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: hello }] }]')

    expect((await yard.person(['-q', 'hi', '--no-key'], { env: { YARDMASTER_API_KEY: '' } }).ended).code).toBe(0)
    expect((await yard.person(['-q', 'hi', '--no-key']).ended).code).toBe(0)
    expect(yard.calls.map(({ authorized }) => authorized)).toEqual([false, false])
  })

  test('what the SDK would read from the environment has no effect', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: hello }] }]')
    const env = {
      OPENAI_CUSTOM_HEADERS: 'Authorization: Bearer stolen',
      OPENAI_ORG_ID: 'org',
      OPENAI_LOG: 'debug',
      OPENAI_BASE_URL: nobody,
    }

    const { code, stderr } = await yard.person(['-q', 'hi'], { env }).ended

    expect(code).toBe(0)
    expect(stderr).not.toContain('sending request')
  })

  test('an unknown model: the provider says so, a person has to act', async () => {
    await using yard = await rehearse('model: other\nplays: [{ turns: [{ say: hello }] }]')

    const { code, stderr } = await yard.boardWorker(['-q', 'hi']).ended

    expect(code).toBe(1)
    expect(stderr).toContain('model_not_found: The model m does not exist (HTTP 404, model_not_found). Fix: check')
    expect(yard.report()).toMatchObject({ reason: 'model_not_found', needsHuman: 'access' })
  })

  test('a server that nobody runs: 1 for a person, 75 for a board worker, with the reason', async () => {
    const args = ['-q', 'hi', '--model', 'm', '--base-url', nobody, '--retries', '0']

    const person = await start(args)
    const worker = await start([...args, '--report', join(folder, 'r.json'), '--run', 'R1', '--fence', '0'])

    expect([person.code, worker.code]).toEqual([1, 75])
    expect(person.stderr).toContain(
      'unreachable: connect ECONNREFUSED 127.0.0.1:9. Fix: is the base URL right, and does the server run?',
    )
  })

  test('a host that does not exist: named, 75 for a board worker', async () => {
    const args = ['-q', 'hi', '--model', 'm', '--base-url', 'http://no-such-host.invalid/v1', '--retries', '0']

    const ended = await start([...args, '--report', join(folder, 'r.json'), '--run', 'R1', '--fence', '0'])

    expect(ended.code).toBe(75)
    expect(ended.stderr).toContain('no-such-host.invalid')
  })

  test('--help tells every flag with its default', async () => {
    const { code, stdout } = await start(['--help'])

    expect(code).toBe(0)
    expect(stdout).toContain('--idle-timeout DURATION')
    expect(stdout).toContain('(180s)')
    expect(stdout).not.toContain(apiKey)
  })
})

describe('what goes wrong in the middle is in the report', () => {
  test('a workspace that vanishes: commands and files say so, and the worker ends in its own words', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "rm -rf $PWD/here; cd ..; rmdir here 2>/dev/null; true" } }]
      - call: [{ tool: terminal, with: { command: "echo alive" } }, { tool: write, with: { path: a, content: b } }]
      - say: My workspace is gone.
`)
    const here = join(yard.folder, 'here')
    mkdirSync(here)

    const ended = await yard.boardWorker(['-q', 'go', '--cwd', here]).ended

    expect(ended).toMatchObject({ code: 0, stdout: 'My workspace is gone.\n' })
    const results = yard.lastMessages().filter(({ role }) => role === 'tool')
    expect(results.map(({ content }) => content).join('\n')).not.toContain('alive')
    expect(existsSync(here)).toBe(false)
  })

  test('control bytes in a prompt reach the model as they are, and no terminal from the log', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ say: "\\e[31mred\\a", call: [{ tool: terminal, with: { command: "true" } }] }, { say: done }] }]',
    )
    writeFileSync(join(yard.folder, 'prompt.md'), 'paint it \u001b[31mred\u001b[0m\u0000\u0007')

    const ended = await yard.boardWorker(['--prompt-file', 'prompt.md']).ended

    expect(ended.code).toBe(0)
    expect(yard.lastMessages()[1]?.content).toBe('paint it \u001b[31mred\u001b[0m\u0000\u0007')
    expect(ended.stderr).not.toContain('\u001b')
  })

  test.each([
    ['throws', 'setTimeout(() => { throw new Error("boom") }, 60)'],
    ['rejects without anybody hearing', 'setTimeout(() => Promise.reject(new Error("boom")), 60)'],
  ])('a fault of ours that %s: report and 1, never a silent end', async (_, fault) => {
    await using yard = await rehearse('plays: [{ turns: [{ say: never, pace: 10s }] }]')
    const hook = join(yard.folder, 'hook.cjs')
    writeFileSync(hook, fault)

    const ended = await yard.boardWorker(['-q', 'go'], { env: { NODE_OPTIONS: `--require ${hook}` } }).ended

    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain('boom')
    expect(yard.report()).toMatchObject({ status: 'failed', reason: 'crashed' })
  })

  test('a tool that does not exist in --tools is named, with the nearest', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: hi }] }]')

    const ended = await yard.person(['-q', 'go', '--tools', 'read,serch']).ended

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('there is no tool serch: did you mean search? Fix:')
    expect(yard.calls).toHaveLength(0)
  })

  test('a tool that is not allowed is not there, whatever the model asks for', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ call: [{ tool: terminal, with: { command: "touch x" } }] }, { say: done }] }]',
    )

    await yard.person(['-q', 'go', '--tools', 'read']).ended

    expect(yard.lastMessages().at(-1)?.content).toContain('there is no tool terminal')
    expect(existsSync(join(yard.folder, 'x'))).toBe(false)
    await yard.person(['-q', 'go', '--tools', 'none']).ended
    expect(yard.lastMessages().at(-1)?.content).toBe(
      'error: there is no tool terminal, and no other here: answer in words',
    )
  })
})
