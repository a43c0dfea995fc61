import { expect, test } from 'vitest'
import { rehearse } from '../../chat-worker.ts'

test('the file tools do as released what they do from their sources: read, patch, search and write in one chat', async () => {
  await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: write, with: { path: src/a.js, content: "const one = 1\\n" } }]
      - call: [{ tool: read, with: { path: src/a.js } }]
      - call: [{ tool: patch, with: { path: src/a.js, old: "one = 1", new: "one = 2" } }]
      - call: [{ tool: terminal, with: { command: "echo 'const three = 3' >> src/a.js" } }]
      - call: [{ tool: patch, with: { path: src/a.js, old: "one = 2", new: "one = 3" } }]
      - call: [{ tool: search, with: { pattern: "^const" } }]
      - say: Done.
`)

  const ended = await yard.person(['-q', 'mend it']).ended

  expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' })
  const results = yard.lastMessages().filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    'wrote new src/a.js, 14 bytes',
    '1\tconst one = 1',
    'patched src/a.js at line 1',
    expect.stringContaining('[no output]'),
    expect.stringContaining('src/a.js was changed since you read it, by a command or by somebody else'),
    'src/a.js:1: const one = 2\nsrc/a.js:2: const three = 3',
  ])
})
