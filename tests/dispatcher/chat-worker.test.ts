import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { actor } from './start-yard.ts'
import { startChatYard } from './yard-api.ts'

const bin = resolve('dist/bin.cjs')

beforeAll(() => {
  if (!existsSync(bin)) throw new Error('dist/bin.cjs is missing; run: npm run build')
})

describe('the chat worker under the dispatcher', () => {
  test('works on its task with tools, and its answer becomes the result that the next task is told', async () => {
    await using yard = await startChatYard([
      { when: 'Use the letter', turns: [{ say: 'It says hello.' }] },
      {
        when: 'Write a letter',
        turns: [
          { call: [{ tool: 'write', with: { path: 'letter.txt', content: 'hello' } }] },
          { say: 'The letter is written.' },
        ],
      },
    ])
    const spec = { title: 'a task', dir: yard.folder }
    const [letter] = yard.board.createTasks(
      {
        board: 'main',
        tasks: [
          { rowKey: 'letter', lane: 'chat', spec: { ...spec, prompt: 'Write a letter.' } },
          {
            rowKey: 'use',
            lane: 'chat',
            needs: [{ on: 'letter', when: 'done' }],
            spec: { ...spec, prompt: 'Use the letter.' },
          },
        ],
      },
      actor,
    )
    if (letter === undefined) throw new Error('not created')
    const { id } = letter.task
    const [use] = yard.board.childrenOf(id)
    if (use === undefined) throw new Error('no child')
    expect((await yard.over(use)).status).toBe('done')
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'done', exitCode: 0, result: 'The letter is written.' })
    expect(readFileSync(join(yard.home, 'workspaces', `T${id}`, 'letter.txt'), 'utf8')).toBe('hello')
    const told = readFileSync(join(yard.home, 'runs', '0', `R${yard.runs(use)[0]?.id}`, 'prompt.md'), 'utf8')
    expect(told).toContain('```text\nThe letter is written.\n```')
  })

  test('an output that a killed worker could not mask any more is not kept; that of one that ended is', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'yard-outputs-')))
    const outputs = (run: number) => join(home, 'home', 'runs', '0', `R${run}`, 'outputs', 'command-1.txt')
    const key = `AKIA${'IOSFODNN7'}EXAMPLE`
    const print = `yes ${key} | head -c 300000`
    const kill = `while [ ! -s ${outputs(2)} ]; do sleep 0.02; done; kill -KILL $PPID; sleep 60`
    const terminal = (command: string) => [{ tool: 'terminal', with: { command } }]
    await using yard = await startChatYard(
      [
        { when: 'Print', turns: [{ call: terminal(print) }, { say: 'Printed.' }] },
        { when: 'Die', turns: [{ call: terminal(`${print}; ${kill}`) }] },
      ],
      { home },
    )
    expect((await yard.over(yard.add({ prompt: 'Print.' }, { lane: 'chat' }))).status).toBe('done')
    expect(readFileSync(outputs(1), 'utf8')).toMatch(/^\[secret\]/)

    const id = yard.add({ prompt: 'Die.', attempts: 1 }, { lane: 'chat' })
    await yard.over(id)

    expect(yard.runs(id)).toMatchObject([{ outcome: 'killed' }])
    expect(existsSync(join(outputs(2), '..'))).toBe(false)
    await yard.leave()
    rmSync(home, { recursive: true })
  })

  test('C47: a provider that answers 429 to everything costs no attempt, and nothing starts before its time', async () => {
    const limit = { kind: 'status', status: 429, times: 'always', retry_after: 300 } as const
    await using yard = await startChatYard([{ turns: [{ say: 'never', faults: [limit] }] }])
    const id = yard.add({ prompt: 'Say hello.' }, { lane: 'chat' })
    const later = yard.add({ prompt: 'Say hello, too.' }, { lane: 'chat', priority: -1 })
    const task = await yard.when(id, ({ runs, status }) => runs > 0 && status !== 'running')
    expect(task).toMatchObject({ status: 'ready', failures: 0, notBeforeMs: null })
    expect(yard.runs(id)[0]).toMatchObject({ outcome: 'tempfail', exitCode: 75 })
    expect(yard.board.readGate('openai')?.untilMs).toBeGreaterThan(Date.now() + 250_000)
    await yard.when(later, ({ status }) => status === 'ready')
    expect(yard.board.explainTask(later, 'up').code).toBe('account_held')
  })

  test('a wrong key parks the account until a person acts, and costs no attempt', async () => {
    await using yard = await startChatYard([{ turns: [{ say: 'never' }] }], { env: { THE_KEY: 'sk-wrong-key-1' } })
    const id = yard.add({ prompt: 'Say hello.' }, { lane: 'chat' })
    expect(await yard.when(id, ({ runs, status }) => runs > 0 && status !== 'running')).toMatchObject({
      status: 'ready',
      failures: 0,
    })
    expect(yard.board.readGate('openai')).toMatchObject({ parkedBy: 'dispatcher' })
    expect(JSON.stringify(yard.runs(id))).not.toContain('sk-wrong-key-1')
  })
})
