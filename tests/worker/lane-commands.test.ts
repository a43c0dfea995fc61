import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Rehearsed, rehearse, requireFreshBuild, Worker } from './chat-worker.ts'
import { canSandbox } from './tools/terminal/sandbox/can-sandbox.ts'

beforeAll(requireFreshBuild)

const playing = (...commands: readonly string[]) =>
  JSON.stringify({
    plays: [
      { turns: [{ call: commands.map((command) => ({ tool: 'terminal', with: { command } })) }, { say: 'Done.' }] },
    ],
  })

async function startInLane(yard: Rehearsed, fields: string) {
  mkdirSync(join(yard.folder, 'keys'))
  writeFileSync(join(yard.folder, 'keys', 'shop'), 'key-of-the-shop-0123\n', { mode: 0o600 })
  writeFileSync(
    join(yard.folder, 'yardmaster.yaml'),
    `accounts: { shop: { base_url: "${yard.baseUrl}", key: { file: keys/shop } } }
lanes: { shop: { uses: chat, account: shop, model: m, ${fields} } }
`,
  )
  const ended = await new Worker(['-q', 'hi', '--lane', 'shop'], { cwd: yard.folder, env: { YARDMASTER_API_KEY: '' } })
    .ended
  const said = yard.lastMessages().flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
  return { ...ended, said }
}

test('what a lane forbids its agents is not run, nor what a person would have to allow', async () => {
  await using yard = await rehearse(playing('touch a', 'bash -c "env touch b"', 'mkdir c; mkdir d', 'echo e >e'))

  const { code, said } = await startInLane(yard, 'denied_commands: ["touch *"], approval_commands: ["mkdir d*"]')

  expect(code).toBe(0)
  expect(said).toEqual([
    expect.stringContaining('the operator does not allow touch a here'),
    expect.stringContaining('the operator does not allow touch b here'),
    expect.stringContaining('mkdir d needs the approval of a person, and nobody can give it here: call block'),
    expect.stringContaining('exit 0'),
  ])
  expect(() => yard.file('c')).toThrow('ENOENT')
})

test.runIf(canSandbox)('a command in a sandbox cannot read the file of the key', async () => {
  await using yard = await rehearse(playing('rev keys/shop | wc -c; ls keys'))

  const { code, said } = await startInLane(yard, 'sandbox: bwrap')

  expect(code).toBe(0)
  expect(said[0]).toMatch(/^(rev: .*\n)?0\nshop\n/)
})
