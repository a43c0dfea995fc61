import { beforeAll, expect, test } from 'vitest'
import { apiKey, rehearse, requireFreshBuild } from './chat-worker.ts'

beforeAll(requireFreshBuild)

const words = (chars: number) => 'lorem ipsum '.repeat(60).slice(0, chars)
/** So that a text of this length ends in the middle of the key. */
const before = (cut: number, lead = 0) => `${words(cut - lead - 12)}${apiKey} and more`

const turns = [
  { say: before(300), call: [{ tool: 'terminal', with: { command: `echo ${before(120, 5)}` } }] },
  { call: [{ tool: 'terminal', with: `{"command": "echo ${before(200, 18)}` }] },
  {
    call: [
      { tool: 'terminal', with: { command: `: ${before(80, 2)}; sleep 60`, background: true } },
      { tool: 'terminal', with: { command: `: ${before(120, 2)}; sleep 60`, background: true } },
      { tool: 'search', with: { pattern: before(60) } },
      { tool: 'write', with: { path: `../${before(200, 3)}`, content: 'x' } },
      { tool: before(100).replaceAll(' ', '.'), with: {} },
      { tool: 'read', with: { path: 'x', [before(100)]: 1 } },
      { tool: 'terminal', with: { command: `setsid ${before(180, 7)}` } },
    ],
  },
  { refuse: before(400) },
]

test('a text that is cut leaves no half of a secret, which nothing would find any more', async () => {
  await using folder = await rehearse(JSON.stringify({ model: 'm', plays: [{ turns }] }))
  const ended = await folder.boardWorker(['-q', 'go', '--transcript', `${folder.folder}/transcript.jsonl`]).ended

  expect(folder.report()).toMatchObject({ status: 'failed', reason: 'refusal', left: [{}, {}] })
  const transcript = folder.file('transcript.jsonl')
  for (const text of [ended.stdout, ended.stderr, folder.file('report.json'), transcript]) {
    expect(text.match(new RegExp(`.{0,60}${apiKey.slice(0, 9)}.{0,60}`, 'g')) ?? []).toEqual([])
  }
  expect(ended.stderr.match(/\[secret\]|lorem/g)?.length).toBeGreaterThan(20)
})
