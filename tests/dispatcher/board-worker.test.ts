import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isSettled } from '../../src/board/index.ts'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import type { Scenario } from '../../src/worker/rehearsal/scenario-schema.ts'
import { requireFreshBuild } from '../worker/chat-worker.ts'
import { actor, startYard } from './start-yard.ts'
import { openYardApi, startChatYard } from './yard-api.ts'

beforeAll(requireFreshBuild)

type Turn = Scenario['plays'][number]['turns'][number]
const call = (tool: string, args: Record<string, unknown>): Turn => ({ call: [{ tool, with: args }] })

describe('a task whose agent speaks with its board', () => {
  test('C48: an agent that stops with prose is tried once more and then failed; its words and its folder are kept', async () => {
    await using yard = await startChatYard([
      { turns: [call('write', { path: 'half.txt', content: 'half' }), { say: 'I looked at it.', silent: true }] },
    ])
    const id = yard.add({ prompt: 'Do it.', attempts: 9 }, { lane: 'chat' })
    const task = await yard.when(id, ({ status }) => isSettled(status))

    expect(task).toMatchObject({ status: 'failed', holdCode: 'incomplete', failures: 0 })
    expect(yard.runs(id).map(({ outcome, exitCode, result }) => [outcome, exitCode, result])).toEqual([
      ['incomplete', 1, 'I looked at it.'],
      ['incomplete', 1, 'I looked at it.'],
    ])
    expect(yard.runs(id)[0]?.reason).toMatch(/^it stopped without saying how its task ends/)
    expect(readFileSync(join(yard.home, 'workspaces', `T${id}`, 'half.txt'), 'utf8')).toBe('half')
  })

  test('asks a person, is answered, and goes on with the answer', async () => {
    await using yard = await startChatYard([
      { when: 'In memory', turns: [{ say: 'It keeps them in memory.' }] },
      { turns: [call('block', { kind: 'needs_input', text: 'Redis or in memory?' })] },
    ])
    const id = yard.add({ prompt: 'Keep the sessions.' }, { lane: 'chat' })

    expect(await yard.over(id)).toMatchObject({
      status: 'blocked',
      holdCode: 'needs_input',
      holdText: 'Redis or in memory?',
      failures: 0,
    })
    yard.board.answerTask(id, 'In memory, please.', actor)
    expect(await yard.when(id, ({ status }) => isSettled(status))).toMatchObject({ status: 'done' })
    expect(yard.runs(id).map(({ outcome }) => outcome)).toEqual(['blocked', 'done'])
  })

  test('is reviewed by another agent, whose verdict is the last line of its result', async () => {
    await using yard = await startChatYard([
      { when: ['Review of', 'With tests.'], turns: [{ say: 'Good now.\n\nverdict: approve' }] },
      { when: 'Review of', turns: [{ say: 'There are no tests.\n\nverdict: reject' }] },
      { when: 'There are no tests.', turns: [{ say: 'With tests.' }] },
      { turns: [{ say: 'Without.' }] },
    ])
    const id = yard.add({ prompt: 'Do it.', review: { lane: 'chat' } }, { lane: 'chat' })

    expect(await yard.when(id, ({ status }) => isSettled(status))).toMatchObject({ status: 'done', failures: 0 })
    expect(yard.runs(id).map(({ claimedFrom, call }) => [claimedFrom, call?.code ?? null])).toEqual([
      ['ready', null],
      ['review', 'changes_requested'],
      ['ready', null],
      ['review', 'approved'],
    ])
  })

  test('waits for a task that it names, and is started again when that is done', async () => {
    await using yard = await startChatYard([
      { when: ['Use the schema', 'The schema stands.'], turns: [{ say: 'Used.' }] },
      { when: 'Use the schema', turns: [call('block', { kind: 'dependency', text: 'its schema', task: 'T2' })] },
      { when: 'Make the schema', turns: [{ say: 'The schema stands.' }] },
    ])
    const use = yard.add({ prompt: 'Use the schema.' }, { lane: 'chat', priority: 1 })
    const make = yard.add({ prompt: 'Make the schema.' }, { lane: 'chat', draft: true })
    await yard.when(use, ({ status }) => status === 'todo')
    yard.board.readyTask(make, actor)

    expect(await yard.when(use, ({ status }) => isSettled(status))).toMatchObject({ status: 'done', failures: 0 })
    expect(yard.runs(use).map(({ outcome }) => outcome)).toEqual(['blocked', 'done'])
  })

  test('makes drafts where its lane grants it, names them, and a person starts them', async () => {
    const { chat } = emptyConfig(1).lanes.chat ?? {}
    if (chat === undefined) throw new Error('the built-in lane is gone')
    const lanes = {
      chat: { uses: 'chat', account: 'openai', model: 'small', chat: { ...chat, grants: ['create'] } },
    } as const
    await using yard = await startChatYard(
      [
        { when: 'the second half', turns: [{ say: 'Second half done.' }] },
        {
          turns: [
            call('create', { prompt: 'Do the second half.', title: 'second half' }),
            call('complete', { result: 'First half done.', created: ['T99'] }),
            call('complete', { result: 'First half done.', created: ['T2'] }),
          ],
        },
      ],
      { lanes },
    )
    const id = yard.add({ prompt: 'Split it.' }, { lane: 'chat' })

    expect(await yard.over(id)).toMatchObject({ status: 'done' })
    const draft = yard.task(2 as never)
    expect(draft).toMatchObject({ status: 'triage', title: 'second half', createdBy: 'R1', lane: 'chat' })
    expect(yard.board.eventsAfter(0, 1_000).filter(({ kind }) => kind === 'run.refused')).toMatchObject([
      { by: 'R1', text: expect.stringContaining('T99 (there is none)') },
    ])
    yard.board.readyTask(draft.id, actor)
    expect(await yard.over(draft.id)).toMatchObject({ status: 'done' })
  })

  test('makes tasks that start at once where its lane says agents_may_start', async () => {
    const chat = emptyConfig(1).lanes.chat?.chat
    if (chat === undefined) throw new Error('the built-in lane is gone')
    const lane = { uses: 'chat', account: 'openai', model: 'small' } as const
    await using yard = await startChatYard(
      [
        { when: 'Do the second half.', turns: [{ say: 'Second half done.' }] },
        { turns: [call('create', { prompt: 'Do the second half.' }), { say: 'First half done.' }] },
      ],
      { lanes: { chat: { ...lane, chat: { ...chat, grants: ['create'], agentsMayStart: true } } } },
    )
    const first = yard.add({ prompt: 'Do it.' }, { lane: 'chat' })
    await yard.over(first)

    const [second] = yard.board.listTasks({}, { limit: 9 }).rows.filter(({ id }) => id !== first)
    if (second === undefined) throw new Error('nothing was made')
    expect(await yard.over(second.id)).toMatchObject({ status: 'done', createdBy: 'R1' })
    expect(yard.board.eventsAfter(0, 100).map(({ text }) => text)).toContain(
      'T1 attempt 1 makes a task for lane chat: Do the second half.',
    )
  })

  test('C93: hands a screenshot over while it works, and the board has it when the workspace is gone', async () => {
    await using yard = await startChatYard([
      {
        turns: [
          call('write', { path: 'shot.png', content: 'not really' }),
          call('attach', { path: 'shot.png' }),
          call('terminal', { command: 'rm shot.png' }),
          { say: 'See the shot.' },
        ],
      },
    ])
    const id = yard.add({ prompt: 'Look.' }, { lane: 'chat' })

    expect(await yard.over(id)).toMatchObject({ status: 'done' })
    expect(yard.board.attachmentsOf(id)).toMatchObject([
      { name: 'shot.png', mediaType: 'image/png', bytes: 10, run: 1 },
    ])
    const [file] = yard.board.attachmentsOf(id)
    expect(filesUnder(join(yard.home, 'attachments')).join(' ')).toContain(file?.sha256.slice(2) ?? 'none')
  })
})

describe('a hub that is not there when its worker ends', () => {
  const waitsFor = (file: string): Scenario['plays'] => [
    {
      turns: [
        call('terminal', { command: `while [ ! -e ${file} ]; do sleep 0.05; done` }),
        { say: 'The work is done.' },
      ],
    },
  ]

  test('comes back at another address in time: the word is taken there, and counts once', async () => {
    const go = join(freshFolder(), 'go')
    const first = await startChatYard(waitsFor(go))
    const id = first.add({ prompt: 'Do it.' }, { lane: 'chat' })
    await calledOnce(first)
    await first.api.stop()
    await first.leave()
    writeFileSync(go, '')

    let port = 0
    await using next = await startYard({
      ...first.options,
      home: join(first.home, '..'),
      address: () => `http://127.0.0.1:${port}`,
    })
    const api = await openYardApi(next)
    port = api.port
    await tellAddress(next.home, port)
    expect(await next.over(id)).toMatchObject({ status: 'done' })
    expect(next.runs(id)).toMatchObject([{ outcome: 'done', exitCode: 0, result: 'The work is done.' }])
    await api.stop()
    await first[Symbol.asyncDispose]()
  })
})

/** Its worker has been told what to do, and does it. */
async function calledOnce({ calls }: { readonly calls: readonly unknown[] }): Promise<void> {
  await expect.poll(() => calls.length).toBe(1)
}

/** As the hub does at its start, once it listens. */
async function tellAddress(home: string, port: number): Promise<void> {
  writeFileSync(join(home, 'runs', '0', 'R1', 'hub'), `http://127.0.0.1:${port}\n`)
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'yard-go-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const filesUnder = (folder: string): readonly string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' })
