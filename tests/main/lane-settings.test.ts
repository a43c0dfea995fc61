import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/kernel/config/index.ts'
import { makeYardHome } from './yard-home.ts'

const text = `
accounts: { openai: { key: { env: PROVIDER_KEY }, prices: { big: { in: 1, out: 4 } } } }
lanes:
  chat:
    account: openai
    model: big
    turns: 12
    timeouts: { idle: 90s }
    headers: { X-Team: shop }
    tools_off: [terminal]
    budget: { usd: 2 }
    env: { SHOP_TOKEN: { env: PLANTED_TOKEN } }
  cheap: { uses: chat, account: openai, model: other }
boards: { shop: { budget: { tokens: 1M } } }
`

async function startLanes(yard: ReturnType<typeof makeYardHome>) {
  const file = join(yard.folder, 'yardmaster.yaml')
  writeFileSync(file, text)
  const parsed = parseConfig({ text, file, cores: 4 })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
  const env = { PATH: process.env.PATH, PROVIDER_KEY: 'key-0123456789', PLANTED_TOKEN: 'token-0123456789' }
  return (await yard.start({ config: parsed.config, env, paused: true })).client
}

test('C122: the settings of a task tell each limit and what its lane says, with where it comes from, and of a secret that it is set', async () => {
  await using yard = makeYardHome()
  const client = await startLanes(yard)
  const { task } = await client.createTask({
    dir: yard.folder,
    board: 'shop',
    prompt: 'Do it.',
    lane: 'chat',
    budget: { tokens: '500k' },
  })
  const rows = (await client.settings(task.id)).map(({ field, value, from }) => [field, value, from])
  expect(rows).toEqual(
    expect.arrayContaining([
      ['budget.tokens', '500k', 'task'],
      ['budget.usd', 2, 'lane'],
      ['model', 'big', 'lane'],
      ['turns', 12, 'lane'],
      ['timeouts.idle', '1m30s', 'lane'],
      ['tools_off', ['terminal'], 'lane'],
      ['headers', { 'X-Team': 'shop' }, 'lane'],
      ['sandbox', 'none', 'built in'],
      ['env.SHOP_TOKEN', 'set, a secret', 'lane'],
    ]),
  )
  expect(JSON.stringify(rows)).not.toMatch(/0123456789/)
})

test('a budget that nobody could keep is refused when the card is made, with what to write', async () => {
  await using yard = makeYardHome()
  const client = await startLanes(yard)
  const card = { dir: yard.folder, board: 'shop' }
  await expect(client.createTask({ ...card, prompt: 'x', lane: 'cheap', budget: { usd: 1 } })).rejects.toThrow(
    /budget\.usd.*no price is known for other of lane cheap/s,
  )
  await expect(client.createTask({ ...card, run: 'true', budget: { tokens: 5 } })).rejects.toThrow(
    /budget\.tokens.*limits what a command uses, and nobody counts that/s,
  )
  // What a board says is for its prompts.
  expect((await client.createTask({ ...card, run: 'true' })).task.id).toBe(1)
})
