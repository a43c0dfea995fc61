import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { type RecordedCall, startRehearsalServer } from '../../src/worker/index.ts'
import { buildProgram, startProgram } from './program.ts'

beforeAll(buildProgram)

test('kill -9 of the hub before its agents are done: one finds the next hub, one is settled from its report, and no work is repeated', async () => {
  const root = mkdtempSync(join(tmpdir(), 'yard-agent-'))
  const place = { home: join(root, 'home'), cwd: join(root, 'work') }
  const go = join(root, 'go')
  mkdirSync(place.cwd)
  const calls: RecordedCall[] = []
  const wait = { tool: 'terminal', with: { command: `while [ ! -e ${go} ]; do sleep 0.05; done` } }
  const provider = await startRehearsalServer({
    scenario: { plays: [{ turns: [{ call: [wait] }, { say: 'The work is done.' }] }] },
    port: 0,
    onCall: (call) => void calls.push(call),
  })
  onTestFinished(() => provider.stop())
  const config = `slots: 3
accounts: { local: { base_url: "${provider.baseUrl}", key: none } }
lanes: { chat: { uses: chat, account: local, model: any } }
`
  writeFileSync(join(place.cwd, 'yardmaster.yaml'), config)
  const type = (...argv: string[]) => startProgram(argv, place)
  onTestFinished(async () => {
    await type('down', '--now').ended
    rmSync(root, { recursive: true, force: true })
  })

  const hub = type('up')
  await hub.says('Hub up')
  await type('add', '--timeout', '10m', 'another hub comes in time').ended
  await type('add', '--timeout', '12s', 'no hub for the rest of its time').ended
  await expect.poll(() => calls.length).toBe(2)
  hub.child.kill('SIGKILL')
  await hub.ended
  writeFileSync(go, '')
  const report = join(place.home, 'runs', '0', 'R2', 'report.json')
  await expect.poll(() => existsSync(report)).toBe(true)
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
    status: 'completed',
    delivery: 'board_unreachable',
    result: 'The work is done.',
  })

  const next = type('up')
  await Promise.all([next.says('T1 done'), next.says('T2 done')])

  const runsOf = async (task: string) => {
    const { last_run, runs } = JSON.parse((await type('show', task, '--json').ended).out)
    return { runs, outcome: last_run.outcome, exit: last_run.exit_code }
  }
  expect(await runsOf('T1')).toEqual({ runs: 1, outcome: 'done', exit: 0 })
  expect(await runsOf('T2')).toEqual({ runs: 1, outcome: 'done', exit: 75 })
  expect(calls).toHaveLength(4)
})
