import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { isSettled, type Run, type TerminalCall } from '../../src/board/index.ts'
import { type ContinueView, planContinuation } from '../../src/dispatcher/continue-transcript.ts'
import { formatRunPlan, type RunPlan } from '../../src/dispatcher/run-plan.ts'
import { runId } from '../../src/kernel/index.ts'
import { parseChatSettings } from '../../src/runs/index.ts'
import { requireFreshBuild } from '../worker/chat-worker.ts'
import { actor } from './start-yard.ts'
import { type ChatYard, startChatYard } from './yard-api.ts'

beforeAll(requireFreshBuild)

describe('whether a conversation is gone on with', () => {
  const chat = { models: ['m', 'n'], baseUrl: 'http://a/v1', api: 'chat_completions', contextTokens: 1_000 }
  const plan = { lane: 'chat', uses: 'chat', chat, reviewOf: null, worktree: null } as unknown as RunPlan
  const call = { kind: 'block', text: 'Redis?' } as TerminalCall
  const ended = { exitedAtMs: 5, prunedAtMs: null, lane: 'chat', settings: formatRunPlan(plan) }
  const before = { ...ended, id: runId(7), outcome: 'blocked', call } as Run
  const look = { chars: 1_800, userTexts: 'T5: title\n\nKeep the sessions.\n' }
  const goesOn = (given: Partial<ContinueView>) =>
    planContinuation({ plan, text: 'Keep the sessions.', before, lookAt: () => look, ...given }) !== undefined
  const withChat = (given: object) => ({ ...plan, chat: { ...chat, ...given } }) as unknown as RunPlan

  test('it is where a person was asked, or has stopped it, and all is as it was', () => {
    expect(goesOn({})).toBe(true)
    expect(goesOn({ before: { ...before, outcome: 'stopped', call: null } })).toBe(true)
    expect(goesOn({ before: { ...before, call: null, reason: 'Redis?' } })).toBe(true) // by its report
    expect(goesOn({ plan: withChat({ models: ['m'], maxTurns: 3 }) })).toBe(true)
  })

  test.each<[string, Partial<ContinueView>]>([
    ['it is the first attempt', { before: undefined }],
    ['the one before has failed', { before: { ...before, outcome: 'failed', call: null } }],
    ['it waited for another task', { before: { ...before, call: { ...call, kind: 'wait' } } }],
    ['its files are gone', { before: { ...before, prunedAtMs: 9 } }],
    ['it goes to another lane', { plan: { ...plan, lane: 'night' } }],
    ['another model is asked', { plan: withChat({ models: ['n', 'm'] }) }],
    ['another server is asked', { plan: withChat({ baseUrl: 'http://b/v1' }) }],
    ['it begins in a fresh folder', { plan: { ...plan, worktree: { fresh: true } } as unknown as RunPlan }],
    ['it is a reviewer', { plan: { ...plan, reviewOf: { run: runId(7), commit: null } } }],
    ['its record is not whole', { lookAt: () => undefined }],
    ['it is more than half of what the model can take', { lookAt: () => ({ ...look, chars: 1_801 }) }],
    ['its task was edited', { text: 'Keep the sessions in a file.' }],
  ])('it is not where %s', (_what, given) => {
    expect(goesOn(given)).toBe(false)
  })

  test('a record that could not fit is not even read', () => {
    const asked: number[] = []
    const lookAt = (_: Run, mostBytes: number) => {
      asked.push(mostBytes)
      return undefined
    }
    planContinuation({ plan, text: 'x', before, lookAt })
    expect(asked).toEqual([5_400])
  })
})

describe('an attempt after an answer', () => {
  const plays = [
    { when: 'In memory', turns: [{ say: 'It keeps them in memory.' }] },
    {
      turns: [
        { say: 'I look first.', call: [{ tool: 'terminal', with: { command: 'echo looked' } }] },
        { call: [{ tool: 'block', with: { kind: 'needs_input', text: 'Redis or in memory?' } }] },
      ],
    },
  ]
  const messagesOf = (yard: ChatYard) =>
    (yard.calls.at(-1)?.body as { messages: readonly { role: string; content: string }[] } | undefined)?.messages ?? []

  test('goes on with the conversation: what was done stands there once, and behind it the answer', async () => {
    await using yard = await startChatYard(plays)
    writeFileSync(join(yard.folder, 'AGENTS.md'), 'Run the linter.')
    const id = yard.add({ prompt: 'Keep the sessions.', workspace: { kind: 'here' } }, { lane: 'chat' })
    await yard.over(id)
    yard.board.answerTask(id, 'In memory, please.', actor)
    expect(await yard.when(id, ({ status }) => isSettled(status))).toMatchObject({ status: 'done' })

    const messages = messagesOf(yard)
    expect(messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    ])
    expect(messages.filter(({ content }) => content?.includes('Keep the sessions.'))).toHaveLength(1)
    expect(messages.filter(({ content }) => content?.includes('Run the linter.'))).toHaveLength(1)
    expect(messages[3]?.content).toContain('looked')
    expect(messages.at(-1)?.content).toMatch(
      /R1 ended\. It had asked:\n\n```text\nRedis or in memory\?\n```.*ana:\n\n```text\nIn memory, please\.\n```/s,
    )
    const settings = parseChatSettings(readFileSync(join(yard.home, 'runs', '0', 'R2', 'chat.json'), 'utf8'))
    expect(settings).toMatchObject({ settings: { continues: join(yard.home, 'runs', '0', 'R1', 'transcript.jsonl') } })
    expect(readFileSync(join(yard.home, 'runs', '0', 'R2', 'transcript.jsonl'), 'utf8')).toContain('Keep the sessions.')
  })

  test('is told how the folder wants it by now, and no secret that somebody has written into the answer', async () => {
    await using yard = await startChatYard(plays)
    writeFileSync(join(yard.folder, 'AGENTS.md'), 'Run the linter.')
    const prompt = 'Keep the sessions; no password=hunter2hunter2.'
    const id = yard.add({ prompt, workspace: { kind: 'here' } }, { lane: 'chat' })
    await yard.over(id)
    writeFileSync(join(yard.folder, 'AGENTS.md'), 'Run the tests.')
    yard.board.answerTask(id, 'In memory. Our key is sk-rehearsal-1.', actor)
    expect(await yard.when(id, ({ status }) => isSettled(status))).toMatchObject({ status: 'done' })

    expect(readFileSync(join(yard.home, 'runs', '0', 'R2', 'prompt.md'), 'utf8')).toMatch(
      /You go on from.*Our key is \[secret\]\..*# AGENTS\.md of the workspace.*Run the tests\./s,
    )
  })

  test('begins anew with the whole task where the record is gone', async () => {
    await using yard = await startChatYard(plays)
    const id = yard.add({ prompt: 'Keep the sessions.', workspace: { kind: 'here' } }, { lane: 'chat' })
    await yard.over(id)
    const transcript = join(yard.home, 'runs', '0', 'R1', 'transcript.jsonl')
    expect(existsSync(transcript)).toBe(true)
    rmSync(transcript)
    yard.board.answerTask(id, 'In memory, please.', actor)
    expect(await yard.when(id, ({ status }) => isSettled(status))).toMatchObject({ status: 'done' })

    const messages = messagesOf(yard)
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user'])
    expect(messages[1]?.content).toMatch(/Keep the sessions\..*In memory, please\..*Redis or in memory\?/s)
  })
})
