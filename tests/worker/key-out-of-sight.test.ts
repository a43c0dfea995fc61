import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiKey, rehearse, requireFreshBuild, Worker } from './chat-worker.ts'

requireFreshBuild()

/** Turned about, so that no mask knows it. */
const lookAtParent = 'parent=$(ps -o ppid= -p $$ | tr -d " "); tr "\\\\0" "\\\\n" <"/proc/$parent/environ" | rev >seen'
const script = `plays: [{ turns: [{ call: [{ tool: terminal, with: { command: '${lookAtParent}' } }] }, { say: Done. }] }]`

const turned = (text: string): string => [...text].reverse().join('')

test('a command finds no key in the environment of its worker, and all else as it was', async () => {
  await using yard = await rehearse(script)
  const env = { OPENAI_API_KEY: 'another-key-of-somebody', MY_KEY: `Bearer ${apiKey}`, YARDMASTER_SLOT: '3' }
  expect((await yard.person(['-q', 'hi'], { env }).ended).code).toBe(0)

  const seen = turned(yard.file('seen').trim())
  expect(seen).toContain(`HOME=${yard.folder}`)
  expect(seen).toContain('YARDMASTER_SLOT=3')
  expect(seen).not.toContain(apiKey)
  expect(seen).not.toContain('another-key')
})

test('nor one that a lane has by another name', async () => {
  await using yard = await rehearse(script)
  const env = { YARDMASTER_API_KEY: '', SHOP_KEY: 'key-of-the-shop-0123' }
  writeFileSync(
    `${yard.folder}/yardmaster.yaml`,
    `accounts:\n  shop: { base_url: "${yard.baseUrl}", key: { env: SHOP_KEY } }\nlanes:\n  shop: { uses: chat, account: shop, model: m }\n`,
  )
  const ended = await new Worker(['-q', 'hi', '--lane', 'shop'], { cwd: yard.folder, env }).ended
  expect(ended.code).toBe(0)
  const seen = turned(yard.file('seen').trim())
  expect(seen).toContain(`HOME=${yard.folder}`)
  expect(seen).not.toContain('key-of-the-shop')
})
