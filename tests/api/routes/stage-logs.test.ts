import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endRun, openApiYard, secret, startRun } from '../open-yard.ts'

const card = { dir: '/srv/shop', run: 'npm test' }
const identity = { pid: 4_000_001, fingerprint: 'unverified', startedMonotonic: 'boot 2' }

/** An attempt whose work is over and whose check runs, with the log of that. */
function startCheck(yard: Awaited<ReturnType<typeof openApiYard>>) {
  const running = startRun(yard)
  const { board } = yard
  const at = { run: running.run.id, fence: running.run.fence }
  writeFileSync(running.log, 'worked\n')
  board.recordStageOver([
    { ...at, stage: 'work', judged: '{}', exitCode: 0, signal: null, reason: 'exit code 0', outputTail: null },
  ])
  board.recordStarted([{ ...at, ...identity, stage: 'check', command: 'npm run verify' }])
  mkdirSync(join(running.dir, 'check'))
  const log = join(running.dir, 'check', 'output.log')
  writeFileSync(log, `token ${secret}\n`)
  const end = () =>
    board.recordStageOver([
      { ...at, stage: 'check', judged: '{}', exitCode: 0, signal: null, reason: 'exit code 0', outputTail: 'ok' },
    ])
  return { running, log, end }
}

describe('the log of a stage', () => {
  test('is read beside that of the work, masked like it', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    startCheck(yard)
    expect(await yard.client.log(1, { stage: 'check' })).toMatchObject({
      text: expect.stringMatching(/^token \[secret\]\**\n$/),
      open: true,
    })
    expect(await yard.client.log(1)).toMatchObject({ text: 'worked\n' })
    expect(await yard.client.log(1, { stage: 'work' })).toMatchObject({ text: 'worked\n' })
    expect(await yard.client.log(1, { stage: 'prepare' })).toMatchObject({ text: '', size: 0 })
  })

  test('is followed until that stage is over, while the attempt goes on', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    const { log, end } = startCheck(yard)
    let text = ''
    for await (const piece of yard.client.followLog(1, 0, new AbortController().signal, 'check')) {
      text += piece
      if (text.endsWith('passed\n')) end()
      else appendFileSync(log, 'passed\n')
    }
    expect(text).toMatch(/^token \[secret\]\**\n(passed\n)+$/)
    expect((await yard.client.run(1)).phase).toBe('started')
    expect(await yard.client.log(1, { stage: 'check' })).toMatchObject({ open: false })
  })

  test('of an attempt that is over ends at once, and a stage that there is not is refused', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask(card)
    endRun(yard, startRun(yard))
    for await (const piece of yard.client.followLog(1, 0, new AbortController().signal, 'check'))
      expect(piece).toBe('nothing')
    const answer = await yard.ask('/api/v1/runs/R1/log?stage=..%2Fother')
    expect(answer.status).toBe(400)
  })
})
