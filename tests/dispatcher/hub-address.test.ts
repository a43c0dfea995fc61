import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startYard } from './start-yard.ts'

test('a worker that may speak to the hub finds its address in a file, which follows a hub that got another port', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-address-')))
  const agent = join(root, 'agent.sh')
  writeFileSync(
    agent,
    `[ -n "$YARDMASTER_HUB_FILE" ] || exit 0 # tried by the look at the lanes
     cat "$YARDMASTER_HUB_FILE" > ${root}/new && mv ${root}/new ${root}/first
     while [ ! -e ${root}/go ]; do sleep 0.02; done
     cat "$YARDMASTER_HUB_FILE" > ${root}/second`,
  )
  const options = {
    home: root,
    self: ['/bin/sh', agent],
    lanes: { chat: { uses: 'chat', model: 'm', account: null } },
  } as const
  const yard = await startYard({ ...options, address: 'http://127.0.0.1:7420' })
  const id = yard.add({ prompt: 'Speak.' }, { lane: 'chat' })
  await expect.poll(() => existsSync(join(root, 'first'))).toBe(true)
  await yard.leave()

  await using next = await startYard({ ...options, address: 'http://127.0.0.1:40001' })
  writeFileSync(join(root, 'go'), '')
  await next.when(id, ({ openRun }) => openRun === null)
  const said = (name: string) => readFileSync(join(root, name), 'utf8')
  expect([said('first'), said('second')]).toEqual(['http://127.0.0.1:7420\n', 'http://127.0.0.1:40001\n'])
})

test('a command is told neither token nor address: it could do nothing with them', async () => {
  await using yard = await startYard({ address: 'http://127.0.0.1:7420' })
  const id = yard.add({ run: '! env | grep HUB_FILE; echo nothing' })
  expect((await yard.over(id)).status).toBe('done')
  const [run] = yard.runs(id)
  expect(run?.outputTail).toBe('nothing')
  expect(existsSync(join(yard.home, 'runs', '0', `R${run?.id}`, 'hub'))).toBe(false)
})
