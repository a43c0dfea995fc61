import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard, type Yard } from './start-yard.ts'

const env = { SECRET_OF_A: 'the-secret-of-a', SECRET_OF_B: 'the-secret-of-b', KEY_OF_ALL: 'the-key-of-all' }
const lane = (name: string) => ({ secretEnv: { SHOP_TOKEN: { env: name } } })
const seen = (yard: Yard, file: string) => readFileSync(join(yard.folder, file), 'utf8')

test('C123: a worker sees the secret that its own lane declares, with its value; a worker of another lane does not', async () => {
  await using yard = await startYard({ env, lanes: { a: lane('SECRET_OF_A'), b: lane('SECRET_OF_B'), none: {} } })
  const ids = ['a', 'b', 'none'].map((name) => yard.add({ run: `env > ${name}.txt` }, { lane: name }))
  for (const id of ids) expect((await yard.over(id)).status).toBe('done')
  expect(seen(yard, 'a.txt')).toContain('SHOP_TOKEN=the-secret-of-a\n')
  expect(seen(yard, 'b.txt')).toContain('SHOP_TOKEN=the-secret-of-b\n')
  expect(seen(yard, 'a.txt')).not.toContain('of-b')
  expect(seen(yard, 'b.txt')).not.toContain('of-a')
  expect(seen(yard, 'none.txt')).not.toMatch(/SHOP_TOKEN|the-secret/)
})

test('a declared secret is nowhere in the plan, in the result or in the folded tail', async () => {
  await using yard = await startYard({ env, lanes: { b: lane('SECRET_OF_B') } })
  const id = yard.add({ run: 'echo "it is $SHOP_TOKEN"; exit 1', attempts: 1 }, { lane: 'b' })
  await yard.over(id)
  const [run] = yard.runs(id)
  expect(run).toMatchObject({ outcome: 'failed', outputTail: 'it is [secret]' })
  expect(run?.settings).toContain('"secretEnv":{"SHOP_TOKEN":{"env":"SECRET_OF_B"}}')
  expect(JSON.stringify([run, yard.board.eventsAfter(0, 1_000)])).not.toContain('the-secret')
})

test('a key of another account that the hub has learned is masked in what is kept, also one that it learns meanwhile', async () => {
  let learned: readonly string[] = ['key-of-another-account']
  await using yard = await startYard({ env, learnedSecrets: () => learned })
  execFileSync('mkfifo', [join(yard.folder, 'go')])
  const id = yard.add({ run: 'read -r _ < go; echo key-of-another-account key-learned-late; exit 1', attempts: 1 })
  await yard.seen('run.started')
  learned = [...learned, 'key-learned-late']
  writeFileSync(join(yard.folder, 'go'), '\n')
  await yard.over(id)
  expect(yard.runs(id)).toMatchObject([{ outcome: 'failed', outputTail: '[secret] [secret]' }])
})

test('setup and check run what the work has written: they get no secret', async () => {
  await using yard = await startYard({
    env,
    lanes: { b: { ...lane('SECRET_OF_B'), command: ['bash', '-c', 'env > work.txt'], passEnv: ['SECRET_OF_B'] } },
  })
  const id = yard.add({ prompt: 'x', workspace: { kind: 'here' }, check: { run: 'env > check.txt' } }, { lane: 'b' })
  expect((await yard.over(id)).status).toBe('done')
  expect(seen(yard, 'work.txt')).toContain('SHOP_TOKEN=the-secret-of-b\n')
  expect(seen(yard, 'check.txt')).not.toContain('the-secret')
})

test('a pattern takes no secret of another lane and no key of an account along, under whatever name it stands', async () => {
  await using yard = await startYard({
    env: { ...env, COPY_OF_B: 'the-secret-of-b', PLAIN: 'plain' },
    lanes: { a: { ...lane('SECRET_OF_A'), passEnv: ['*'] }, b: lane('SECRET_OF_B') },
    accounts: { paid: { baseUrl: null, key: { env: 'KEY_OF_ALL' }, slots: null } },
  })
  await yard.over(yard.add({ run: 'env > a.txt' }, { lane: 'a' }))
  expect(seen(yard, 'a.txt')).toContain('PLAIN=plain\n')
  expect(seen(yard, 'a.txt')).not.toMatch(/the-secret-of-b|the-key-of-all/)
})

test('a secret that is not there holds its lane with what is missing; nothing is counted, and it goes on when it is there', async () => {
  const missing = { secretEnv: { SHOP_TOKEN: { env: 'NOT_THERE' } } }
  await using yard = await startYard({ env, lanes: { b: missing } })
  const id = yard.add({ run: 'true' }, { lane: 'b' })
  const held = () => yard.board.holds().find(({ scope, name }) => scope === 'lane' && name === 'b')
  if (held() === undefined) await yard.seen('hold.set')
  expect(held()?.text).toBe('no value for SHOP_TOKEN: NOT_THERE is not set')
  expect(yard.task(id)).toMatchObject({ status: 'ready', failures: 0 })
})
