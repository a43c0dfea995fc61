import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard, type Yard } from './start-yard.ts'

const lane = (yard: Yard, name: string) => yard.dispatcher.lanes().find((check) => check.name === name)

test('C177: each lane says at the start whether it could work, and if not, what is missing and where it looked', async () => {
  await using yard = await startYard({
    env: { PATH: '/nowhere' },
    lanes: {
      ours: { uses: 'command', command: ['agent-x', '--file', `\${{ task.prompt_file }}`] },
      chat: { uses: 'chat', account: 'openai', model: 'm' },
    },
  })
  expect(lane(yard, 'command')).toMatchObject({ ready: false, says: 'command not found: "bash" (PATH is /nowhere)' })
  expect(lane(yard, 'ours')).toMatchObject({ ready: false, takesPrompts: true })
  expect(lane(yard, 'ours')?.says).toContain('command not found: "agent-x" (PATH is /nowhere)')
  expect(lane(yard, 'chat')?.says).toBe('no key for account openai: OPENAI_API_KEY is not set')
})

test('C177: a lane whose system prompt is missing says so, and takes no task that would only fail', async () => {
  await using yard = await startYard({
    env: { OPENAI_API_KEY: 'sk-0123456789' },
    lanes: { chat: { uses: 'chat', account: 'openai', model: 'm', system: '/no/such/house.md' } },
  })
  expect(lane(yard, 'chat')).toMatchObject({ ready: false, says: 'no system prompt: /no/such/house.md is missing' })
  const held = yard.seen('hold.set')
  const id = yard.add({ prompt: 'Do it.' }, { lane: 'chat' })
  await held
  expect(yard.task(id)).toMatchObject({ status: 'ready', runs: 0 })
})

test('C177: a lane that looks ready is tried by a start, and one that cannot start says how that ended', async () => {
  await using yard = await startYard({
    env: { OPENAI_API_KEY: 'sk-0123456789' },
    self: [process.execPath, '/no/such/program.cjs'],
    lanes: { chat: { uses: 'chat', account: 'openai', model: 'm' } },
    pollEveryMs: 5,
  })
  while (lane(yard, 'chat')?.ready !== false) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(lane(yard, 'chat')?.says).toContain('its self-test ended with 1')
  expect(lane(yard, 'chat')?.says).toContain('/no/such/program.cjs')
  expect(lane(yard, 'command')).toMatchObject({ ready: true, says: 'ready' })
})

test('C177: a lane whose own command is missing is held with that reason, and goes on by itself when it is there', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-lanes-')))
  const agent = join(root, 'agent.sh')
  const options = { home: root, lanes: { ours: { uses: 'command', command: [agent] } } } as const
  const yard = await startYard(options)
  const held = yard.seen('hold.set')
  const id = yard.add({ prompt: 'Do it.' }, { lane: 'ours' })
  expect((await held).data).toMatchObject({ scope: 'lane', name: 'ours' })
  expect(yard.task(id)).toMatchObject({ status: 'ready', runs: 0 })
  expect(yard.board.explainTask(id, 'up').says).toContain(agent)
  await yard.leave()
  writeFileSync(agent, '#!/bin/sh\n', { mode: 0o755 })
  await using next = await startYard(options)
  expect((await next.over(id)).status).toBe('done')
})
