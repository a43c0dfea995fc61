import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { apiKey, rehearse, requireFreshBuild } from './chat-worker.ts'

beforeAll(requireFreshBuild)

const letter = `
plays:
  - turns:
      - say: I write it first.
        usage: { input: 100, cached: 20, output: 10 }
        call:
          - { tool: write, with: { path: notes/letter.txt, content: "Dear yard,\\n" } }
          - { tool: terminal, with: { command: "cat notes/letter.txt; echo to stderr >&2; exit 3" } }
      - usage: { input: 200, cached: 100, output: 5 }
        call: [{ tool: read, with: { path: notes/letter.txt } }]
      - say: The letter is written.
        usage: { input: 300, cached: 200, output: 4 }
`

describe('a worker works on its task to the end', () => {
  test('it writes, runs and reads, then answers on stdout and exits 0; its log is on stderr', async () => {
    await using yard = await rehearse(letter)

    const ended = await yard.person(['-q', 'write a letter']).ended

    expect(ended).toMatchObject({ code: 0, stdout: 'The letter is written.\n' })
    expect(yard.file('notes/letter.txt')).toBe('Dear yard,\n')
    expect(ended.stderr).toContain('terminal: cat notes/letter.txt')
    expect(ended.stderr).not.toContain('The letter is written.')
  })

  test('the model is told what its tools did: exit code, both outputs, file text', async () => {
    await using yard = await rehearse(letter)

    await yard.person(['-q', 'write a letter']).ended

    const results = yard.lastMessages().filter(({ role }) => role === 'tool')
    expect(results.map(({ content }) => content)).toEqual([
      'wrote new notes/letter.txt, 11 bytes',
      expect.stringMatching(/^Dear yard,\nto stderr\n\n\[exit 3, [\d.]+s\]$/),
      '1\tDear yard,',
    ])
    expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(3)
  })

  test('for a board it leaves a report: answer, turns, summed tokens, proof of a served call', async () => {
    await using yard = await rehearse(letter)

    const ended = await yard.boardWorker(['-q', 'write a letter']).ended

    expect(ended.code).toBe(0)
    expect(yard.report()).toEqual({
      schema: 1,
      run: 981,
      fence: 7,
      status: 'completed',
      reason: null,
      message: null,
      retryAt: null,
      needsHuman: null,
      result: 'The letter is written.',
      data: null,
      delivery: null,
      usage: { inputTokens: 600, cachedTokens: 320, outputTokens: 19, calls: 3 },
      served: true,
      turns: 3,
      model: 'm',
      compactions: 0,
      counts: { replies: 3, tool_calls: 3, tool_failed: 1, end_completed: 1 },
      left: [],
      transcript: { bytes: expect.any(Number), cut: false },
    })
  })

  test('C93 · it has read what it was given', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "cat $YARDMASTER_ATTACHMENTS/spec.txt > shot.png" } }]
      - say: Done.
`)
    const given = join(yard.folder, 'given')
    mkdirSync(given)
    writeFileSync(join(given, 'spec.txt'), 'the spec')

    const ended = await yard.boardWorker(['-q', 'draw it'], { env: { YARDMASTER_ATTACHMENTS: given } }).ended

    expect(ended.code).toBe(0)
    expect(yard.file('shot.png')).toBe('the spec')
  })

  test('tokens that the provider does not report are unknown, not 0', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: hi, usage: none }] }]')

    await yard.boardWorker(['-q', 'hi']).ended

    expect(yard.report()).toMatchObject({ usage: null, served: true })
  })

  test('an answer as one JSON document instead of a stream is taken too', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: whole, faults: [{ kind: json }] }] }]')

    expect(await yard.person(['-q', 'hi']).ended).toMatchObject({ code: 0, stdout: 'whole\n' })
  })

  test('a system prompt file takes the place of the built-in one', async () => {
    await using yard = await rehearse('plays: [{ when: house rules, turns: [{ say: yes }] }]')
    writeFileSync(join(yard.folder, 'house.md'), 'These are the house rules.')

    expect(await yard.person(['-q', 'hi', '--system', 'house.md']).ended).toMatchObject({ code: 0, stdout: 'yes\n' })
  })
})

describe('the answer arrives whole', () => {
  test('although its reader is slow', async () => {
    await using yard = await rehearse(`plays: [{ turns: [{ say: ${'x'.repeat(400_000)} }] }]`)
    const worker = yard.person(['-q', 'go'])
    worker.child.stdout?.pause()
    await worker.logged('turn 1: stop')

    worker.child.stdout?.resume()

    const { code, stdout } = await worker.ended
    expect([code, stdout.length]).toEqual([0, 400_001])
  })

  test('and a reader that went away changes nothing about the end', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: done, pace: 50ms }] }]')
    const worker = yard.boardWorker(['-q', 'go'])
    worker.child.stdout?.destroy()

    expect((await worker.ended).code).toBe(0)
    expect(yard.report()).toMatchObject({ status: 'completed', result: 'done' })
  })

  test('nor does one of its log', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ call: [{ tool: terminal, with: { command: "true" } }], pace: 50ms }, { say: done }] }]',
    )
    const worker = yard.boardWorker(['-q', 'go'])
    worker.child.stderr?.destroy()

    expect(await worker.ended).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(yard.report()).toMatchObject({ status: 'completed', result: 'done' })
  })
})

describe('exit 0 is earned', () => {
  test.each([[['-q', 'go']], [['-q', 'go', '--json']], [['--help']]])(
    'not by %j whose output a full disk has not taken',
    async (args) => {
      await using yard = await rehearse('plays: [{ turns: [{ say: the answer }] }]')
      const full = openSync('/dev/full', 'w')

      const worker = spawn(
        process.execPath,
        [resolve('dist/bin.cjs'), 'chat', '--model', 'm', '--no-key', '--base-url', yard.baseUrl, ...args],
        { cwd: yard.folder, stdio: ['ignore', full, 'ignore'] },
      )

      closeSync(full)
      expect((await once(worker, 'exit'))[0]).toBe(1)
    },
  )

  test('not by a worker that has run out of things to do before its end', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: the answer }] }]')
    const preload = join(yard.folder, 'deaf-output.cjs')
    writeFileSync(preload, 'process.stdout.write = () => true\n') // never tells that it has taken anything

    const { code } = await yard.person(['-q', 'go'], { env: { NODE_OPTIONS: `--require ${preload}` } }).ended

    expect(code).toBe(1)
  })

  test('C48: a worker that answers without any tool is done, and its last text is the result, each time', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: "  All of it is done.  " }] }]')

    for (const _ of [1, 2]) {
      expect((await yard.boardWorker(['-q', 'do it']).ended).code).toBe(0)
      expect(yard.report()).toMatchObject({ status: 'completed', result: '  All of it is done.  ' })
    }
  })

  test.each([
    ['an empty answer', '{ say: "" }', 'failed', 'empty_reply'],
    ['thoughts alone', '{ think: I wonder }', 'failed', 'reasoning_only'],
    ['an answer cut at its length', '{ say: and then, finish: length }', 'partial', 'output_truncated'],
    ['a filtered answer', '{ say: x, finish: content_filter }', 'failed', 'content_filter'],
    ['a refusal', '{ refuse: I cannot do that }', 'failed', 'refusal'],
    ['announced tool calls that do not come', '{ say: x, finish: tool_calls }', 'failed', 'protocol'],
    ['a finish reason nobody knows', '{ say: x, finish: tired }', 'failed', 'unknown'],
  ])('%s is none', async (_, turn, status, reason) => {
    await using yard = await rehearse(`plays: [{ again: true, turns: [${turn}] }]`)

    const ended = await yard.boardWorker(['-q', 'do it']).ended

    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(yard.report()).toMatchObject({ status, reason, served: true })
  })

  test('a worker that never comes to an end is stopped at its turn limit', async () => {
    await using yard = await rehearse(
      `plays:
  - turns:
      - { say: once, call: [{ tool: read, with: { path: a } }] }
      - { say: once more, call: [{ tool: read, with: { path: b } }] }
      - { say: I have read two files and found neither. }`,
    )

    const ended = await yard.boardWorker(['-q', 'do it', '--max-turns', '2']).ended

    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(yard.calls).toHaveLength(3) // the last one is for its last words, without tools
    expect(yard.report()).toMatchObject({
      status: 'partial',
      reason: 'turn_limit',
      turns: 2,
      result: 'I have read two files and found neither.',
    })
  })

  test('a worker that does the same again and again is ended by a guard, which its report names and counts', async () => {
    await using yard = await rehearse(
      'plays: [{ again: true, turns: [{ say: once more, call: [{ tool: terminal, with: { command: "exit 3" } }] }] }]',
    )

    const ended = await yard.boardWorker(['-q', 'do it']).ended

    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('guard same_call_failing: this same call has failed 5 times')
    expect(yard.report()).toMatchObject({ status: 'failed', reason: 'loop_guard', turns: 7, result: 'once more' })
    expect(yard.report()).toMatchObject({ counts: { tool_failed: 5, guard_same_call_failing: expect.any(Number) } })
  })

  test('a worker whose time is used says its last words and leaves before its end', async () => {
    await using yard = await rehearse(
      `plays: [{ turns: [{ say: I start, call: [{ tool: terminal, with: { command: "sleep 600; true" } }] }, { say: I was cut. }] }]`,
    )

    const ended = await yard.boardWorker(['-q', 'do it', '--run-timeout', '8s']).ended

    expect(ended.code).toBe(1)
    expect(yard.report()).toMatchObject({ status: 'partial', reason: 'budget', result: 'I was cut.' })
  })

  test('a report that cannot be written is no success', async () => {
    await using yard = await rehearse('plays: [{ turns: [{ say: done }] }]')

    const { code, stderr } = await yard.person([
      ...['-q', 'do it', '--report', join(yard.folder, 'gone', 'report.json')],
      ...['--run', 'R981', '--fence', '7'],
    ]).ended

    expect(code).toBe(1)
    expect(stderr).toContain('cannot be written')
    expect(existsSync(join(yard.folder, 'gone'))).toBe(false)
  })
})

describe('what the model does wrong is told to it, and nothing is run on a guess', () => {
  test.each([
    ['arguments that are no JSON', '{ tool: terminal, with: "{\\"command\\": " }', 'are not a JSON object'],
    ['a tool that does not exist', '{ tool: writes, with: {} }', 'did you mean write?'],
    [
      'an argument that is not known',
      '{ tool: terminal, with: { command: "touch x", folder: / } }',
      'knows no argument folder',
    ],
    ['an argument that is missing', '{ tool: write, with: { path: x } }', 'content is missing'],
    [
      'a wrong kind',
      '{ tool: terminal, with: { command: "touch x", timeout_seconds: soon } }',
      'must be a whole number',
    ],
    [
      'a number out of range',
      '{ tool: terminal, with: { command: "touch x", timeout_seconds: 0 } }',
      'from 1 to 604800',
    ],
  ])('%s', async (_, call, says) => {
    await using yard = await rehearse(`plays: [{ turns: [{ call: [${call}] }, { say: I see }] }]`)

    expect((await yard.person(['-q', 'go']).ended).code).toBe(0)

    const messages = yard.lastMessages()
    expect(messages.at(-1)?.content).toContain(says)
    expect(existsSync(join(yard.folder, 'x'))).toBe(false)
  })
})

describe('the prompt arrives whole', () => {
  test('C179: 3 MB of prompt travel by file', async () => {
    await using yard = await rehearse('plays: [{ when: [do this, the last line], turns: [{ say: read }] }]')
    const text = `${'x'.repeat(99)}\n`.repeat(30_000)
    writeFileSync(join(yard.folder, 'prompt.md'), `${text}the last line ✓`)

    expect((await yard.boardWorker(['-q', 'do this', '--prompt-file', 'prompt.md']).ended).code).toBe(0)

    const messages = yard.lastMessages()
    expect(messages[1]?.content).toBe(`do this\n\n${text}the last line ✓`)
  })

  test.each([
    ['missing', undefined, 'does not exist'],
    ['empty', ' \n', 'it is empty'],
    ['no UTF-8', Buffer.from([0x68, 0xff, 0xfe]), 'it is not UTF-8 text'],
  ])('C55: a prompt file that is %s is refused, before anything is asked', async (_, content, says) => {
    await using yard = await rehearse('plays: [{ turns: [{ say: there is nothing to do }] }]')
    if (content !== undefined) writeFileSync(join(yard.folder, 'prompt.md'), content)

    const { code, stderr } = await yard.boardWorker(['-q', 'do this', '--prompt-file', 'prompt.md']).ended

    expect(code).toBe(1)
    expect(stderr).toContain(says)
    expect(stderr).toContain('WORKER_NO_PROMPT')
    expect(yard.calls).toHaveLength(0)
    expect(yard.report()).toMatchObject({ status: 'failed', served: false })
  })

  test('C175: an inherited stdin that is never closed is not waited for, by the worker or its commands', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ call: [{ tool: terminal, with: { command: "cat; echo read to the end" } }] }, { say: done }] }]',
    )

    const ended = await yard.person(['-q', 'go'], { stdin: 'pipe' }).ended

    expect(ended.code).toBe(0)
    expect(JSON.stringify(yard.calls.at(-1)?.body)).toContain('read to the end')
  })
})

test('what the AGENTS.md of a folder says is told to the agent of a person, as data, and its secrets are not', async () => {
  await using yard = await rehearse('plays: [{ turns: [{ say: done }] }]')
  writeFileSync(join(yard.folder, 'AGENTS.md'), `Run \`make check\`.\n\`\`\`\nkey ${apiKey}\n\`\`\`\n`)

  const { stderr } = await yard.person(['-q', 'do it']).ended
  await yard.boardWorker(['-q', 'do it']).ended

  expect(stderr).toMatch(/^chat: AGENTS\.md goes along, \d+ bytes$/m)
  const [person, board] = yard.calls.map(
    ({ body }) => (body as { messages: { content: string }[] }).messages[1]?.content,
  )
  expect(person).toMatch(/^do it\n\n# AGENTS\.md of the workspace/)
  expect(person).toContain('````text\nRun `make check`.')
  expect(person).toContain('key [secret]')
  expect(board).toBe('do it') // its prompt is composed by its hub

  writeFileSync(join(yard.folder, 'AGENTS.md'), 'x'.repeat(40_000))
  const again = await yard.person(['-q', 'do it']).ended
  expect(again.stderr).toContain('chat: AGENTS.md is left out: it has 40000 bytes, more than 32768\n')
})

test('the key goes to the provider and nowhere else: not to commands, log, answer or report', async () => {
  const encoded = Buffer.from(apiKey).toString('base64')
  await using yard = await rehearse(`
key: ${apiKey}
plays:
  - turns:
      - call:
          - { tool: terminal, with: { command: "env; cat found.txt; tr '\\0' '\\n' < /proc/$PPID/environ" } }
          - { tool: read, with: { path: found.txt } }
      - say: "the key is ${apiKey}, in base64 ${encoded}"
`)
  writeFileSync(join(yard.folder, 'found.txt'), `somebody left ${apiKey} here`)
  const env = { OTHER_NAME: apiKey, OPENAI_API_KEY: 'other-secret-key' }

  const ended = await yard.boardWorker(['-q', 'leak it'], { env }).ended

  const sent = JSON.stringify(yard.calls.map(({ body }) => body))
  expect(ended.code).toBe(0)
  for (const text of [sent, ended.stdout, ended.stderr, yard.file('report.json')]) {
    expect(text).not.toContain(apiKey)
    expect(text).not.toContain(encoded.slice(0, 30))
  }
  expect(sent).toContain('somebody left [secret] here')
  expect(sent).not.toContain('OTHER_NAME=')
})

test('the marker goes on to commands, report and fence do not', async () => {
  await using yard = await rehearse(
    'plays: [{ turns: [{ call: [{ tool: terminal, with: { command: env } }] }, { say: done }] }]',
  )
  const env = {
    YARDMASTER_MARKER: 'yard:R981:abcd',
    YARDMASTER_RUN: 'R981',
    YARDMASTER_REPORT: '/somewhere/report.json',
    YARDMASTER_FENCE: '7',
    NODE_OPTIONS: '--no-warnings',
    TASKS_OWN: 'kept',
  }

  await yard.boardWorker(['-q', 'go'], { env }).ended

  const messages = yard.lastMessages()
  const said = messages.at(-1)?.content ?? ''
  expect(said).toMatch(/^YARDMASTER_MARKER=yard:R981:abcd chat:[0-9a-f]{16}$/m)
  expect(said).toContain('TASKS_OWN=kept')
  expect(said).toContain('GIT_TERMINAL_PROMPT=0')
  expect(said).not.toMatch(/YARDMASTER_(REPORT|FENCE)|NODE_OPTIONS/)
})

test('a worker never touches undici, whose first touch costs more than its own start', async () => {
  await using yard = await rehearse('plays: [{ turns: [{ say: done }] }]')
  const hook = join(yard.folder, 'hook.cjs')
  writeFileSync(
    hook,
    `process.on('exit', () => console.error('undici loaded:', process.moduleLoadList.some((name) => name.includes('undici'))))`,
  )

  const { stderr } = await yard.person(['-q', 'go'], { env: { NODE_OPTIONS: `--require ${hook}` } }).ended

  expect(stderr).toContain('undici loaded: false')
})
