import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectRun } from '../../src/api/client/index.ts'
import { ApiServer } from '../../src/api/index.ts'
import { createRedactor, systemClock, systemRandom } from '../../src/kernel/index.ts'
import { composeRunDirectory } from '../../src/runs/index.ts'
import { startYard, type Yard } from './start-yard.ts'

const agent = {
  self: ['bash', join(import.meta.dirname, 'fixtures', 'agent.sh')],
  lanes: { chat: { uses: 'chat', account: null, model: 'm' } },
} as const

/** The real API over the board of a yard. */
async function openApi({ board, home }: Yard): Promise<ApiServer> {
  const yard = {
    home,
    secretsOf: () => [],
    runDir: (run: never) => composeRunDirectory(home, run),
    lanes: () => [],
    accounts: [],
  }
  const deps = {
    board,
    yard: yard as never,
    mask: createRedactor([]),
    clock: systemClock,
    random: systemRandom,
    log: { error() {} },
    knownSecrets: () => [],
  }
  const api = new ApiServer(deps, { token: systemRandom.hex(32), preferredPort: 0 })
  await api.start()
  return api
}

function filesUnder(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

test('our own agent gets its token on descriptor 3 alone, says with it how it ends, and it ends with the run', async () => {
  await using yard = await startYard(agent)
  const says = 'touch up; cat <&3; echo; env; tr "\\0" " " < /proc/$$/cmdline; while [ ! -e go ]; do sleep 0.01; done'
  const id = yard.add({ prompt: `do: cd "${yard.folder}"; ${says}; exit 1` }, { lane: 'chat' })
  const log = () =>
    readFileSync(join(composeRunDirectory(yard.home, yard.runs(id)[0]?.id as never), 'output.log'), 'utf8')
  await yard.when(id, ({ status }) => status === 'running')
  while (!/^ymr_R1_\S+\n[\s\S]*agent\.sh/.test(log())) await new Promise((resolve) => setTimeout(resolve, 5))
  const [token = '', ...rest] = log().split('\n')
  expect(rest.join('\n')).not.toContain(token.slice(8))
  expect(yard.board.verifyToken(token)).toMatchObject({ run: 1, task: id, phase: 'started' })

  const api = await openApi(yard)
  const run = connectRun({ port: api.port, token })
  expect(await run.complete({ result: 'all of it' })).toMatchObject({ run: 1, call: 'complete' })
  writeFileSync(join(yard.folder, 'go'), '')
  expect(await yard.when(id, ({ status }) => status !== 'running')).toMatchObject({ status: 'done', failures: 0 })
  expect(yard.runs(id)).toMatchObject([{ outcome: 'done', exitCode: 1, result: 'all of it' }])
  await expect(run.heartbeat()).rejects.toMatchObject({ code: 'API_RUN_OVER' })
  await api.stop()

  expect(yard.runs(id)[0]?.outputTail).not.toContain(token.slice(8))
  expect(JSON.stringify(yard.board.eventsAfter(0, 1_000))).not.toContain(token.slice(8))
  // What the agent itself wrote into its raw log is there; nothing of ours has written it anywhere else.
  const holds = filesUnder(yard.home).filter((path) => readFileSync(path, 'latin1').includes(token.slice(8)))
  expect(holds.map((path) => path.split('/').at(-1))).toEqual(['output.log'])
})

test('a plain command gets none: descriptor 3 is closed in it', async () => {
  await using yard = await startYard()
  const id = yard.add({ run: 'ls /proc/self/fd; (: <&3) 2>/dev/null && echo open || echo closed' })
  await yard.over(id)
  expect(yard.runs(id)[0]?.outputTail?.split('\n').at(-1)).toBe('closed')
})
