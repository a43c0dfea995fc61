import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { rehearse, requireFreshBuild, Worker } from '../chat-worker.ts'
import { refuse, sayAndStop, startFaultServer } from '../fault-server.ts'

beforeAll(requireFreshBuild)

const play = `
plays:
  - turns:
      - { think: I write it., call: [{ tool: write, with: { path: greeting.txt, content: "Hello, yard.\\n" } }] }
      - { call: [{ tool: terminal, with: { command: "cat greeting.txt" } }] }
      - { say: The greeting is written., faults: [{ kind: cut, after: 2 }, { kind: error_event, after: 1, error: { code: server_error, message: oh } }] }
`

test.each(['chat_completions', 'responses'])('a real worker does the same work by %s', async (api) => {
  await using yard = await rehearse(play)

  const ended = await yard.boardWorker(['-q', 'greet', '--api', api, '--longest-wait', '20ms']).ended

  expect([ended.code, ended.stdout]).toEqual([0, 'The greeting is written.\n'])
  expect(yard.file('greeting.txt')).toBe('Hello, yard.\n')
  expect(yard.calls.map(({ turn, fault }) => [turn, fault])).toEqual([
    [0, null],
    [1, null],
    [2, 'cut'],
    [2, 'error_event'],
    [2, null],
  ])
})

test('a real worker moves on to its next model, and reads what came compressed', async () => {
  await using yard = await rehearse('plays: [{ turns: [{ say: unused }] }]')
  const [, sent] = sayAndStop('from the second').steps
  const packed = gzipSync(sent?.do === 'send' ? sent.bytes : '')
  const gzip = { 'content-encoding': 'gzip', 'content-type': 'text/event-stream' }
  await using server = await startFaultServer([
    { when: { model: 'first' }, ...refuse(404, '{"error":{"code":"model_not_found","message":"no"}}') },
    { when: { model: 'second' }, ...refuse(200, packed, gzip) },
  ])

  const models = ['--model', 'first', '--model', 'second']
  const ended = await new Worker(['-q', 'go', ...models, '--base-url', server.baseUrl], { cwd: yard.folder }).ended

  expect([ended.code, ended.stdout]).toEqual([0, 'from the second\n'])
  expect(server.calls.map(({ model }) => model)).toEqual(['first', 'second'])
})
