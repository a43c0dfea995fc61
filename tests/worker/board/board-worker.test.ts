import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runId } from '../../../src/kernel/index.ts'
import { endRun, openApiYard } from '../../api/open-yard.ts'
import { requireFreshBuild } from '../chat-worker.ts'
import { startTokenWorker } from './token-worker.ts'

beforeAll(requireFreshBuild)

const ann = { by: 'ann' }
const waiting = `
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "touch begun; sleep 600" } }]
      - call: [{ tool: complete, with: { result: I have heard it. } }]
      - say: I have heard it, and that command is not needed.
`

describe('a worker with the token of its run', () => {
  test('ends by its word to the board, once, and with 0', async () => {
    await using worker = await startTokenWorker({ script: 'plays: [{ turns: [{ say: The login works. }] }]' })

    expect(await worker.ended).toMatchObject({ code: 0 })

    expect(worker.yard.board.readRun(runId(1))?.call).toMatchObject({ kind: 'complete', text: 'The login works.' })
    expect(worker.report()).toMatchObject({ status: 'completed', result: 'The login works.' })
    expect(worker.report()?.delivery ?? null).toBeNull()
  })

  test('that stops without its word is told twice, and then ends unfinished with its text kept (C48)', async () => {
    await using worker = await startTokenWorker({ script: 'plays: [{ turns: [{ say: All good., silent: true }] }]' })

    expect(await worker.ended).toMatchObject({ code: 1 })

    expect(worker.calls).toHaveLength(3)
    expect(worker.report()).toMatchObject({ status: 'partial', reason: 'not_finished', result: 'All good.' })
    expect(worker.yard.board.readRun(runId(1))?.call).toBeNull()
  })

  test('hears a comment while a long command runs, which goes on in the background', async () => {
    await using worker = await startTokenWorker({ script: waiting })
    await worker.logged('turn 1')
    worker.yard.board.comment(1 as never, 'Mind the clock, too.', ann)

    expect(await worker.ended).toMatchObject({ code: 0 })

    const heard = worker.messages(1)
    expect(heard.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('Mind the clock, too.') })
    expect(heard.at(-2)).toMatchObject({ role: 'tool', content: expect.stringContaining('background') })
    // Its first word that all is done would have ended the command, and it was asked whether that is meant.
    expect(worker.messages(2).at(-1)).toMatchObject({ content: expect.stringContaining('still running: P1') })
  })

  test('is stopped within seconds while a long command runs: 130, and what it has is in its report', async () => {
    await using worker = await startTokenWorker({ script: waiting })
    await worker.logged('turn 1')
    worker.yard.board.stopTask(1 as never, 'enough', ann)

    expect(await worker.ended).toMatchObject({ code: 130 })

    expect(worker.report()).toMatchObject({ status: 'interrupted' })
  })

  test('that has lost its run in between ends with 1, writes no report and asks nothing again', async () => {
    await using worker = await startTokenWorker({
      script: 'plays: [{ turns: [{ say: Done. }] }]',
      onCall: (_, { yard, started }) => endRun(yard, started),
    })

    expect(await worker.ended).toMatchObject({ code: 1 })

    expect(worker.report()).toBeUndefined()
    expect(worker.calls).toHaveLength(1)
    expect(worker.yard.board.readRun(runId(1))).toMatchObject({ call: null, outcome: 'done' })
    expect(worker.yard.board.readRun(runId(1))?.lateCalls).toBeLessThan(3)
  })

  test('C102: that finds the hub of another store does nothing, says so, and ends with 1', async () => {
    await using other = await openApiYard()
    await using worker = await startTokenWorker({
      script: 'plays: [{ turns: [{ say: Done. }] }]',
      env: { YARDMASTER_HUB_FILE: otherHub(other.home, other.port) },
    })

    expect(await worker.ended).toMatchObject({ code: 1, log: expect.stringContaining('wrong store') })

    expect(worker.calls).toEqual([])
    expect(worker.report()).toMatchObject({ status: 'failed', reason: 'wrong_store' })
  })

  test('C53: mends the artifacts that its board has refused, and completes', async () => {
    const complete = { tool: 'complete', with: { result: 'done', artifacts: ['report.md'] } }
    const write = { tool: 'write', with: { path: 'report.md', content: '# Report' } }
    await using worker = await startTokenWorker({
      script: JSON.stringify({ plays: [{ turns: [{ call: [complete] }, { call: [write] }, { call: [complete] }] }] }),
    })
    expect(await worker.ended).toMatchObject({ code: 0 })

    const messages = worker.messages(1)
    expect(messages.at(-1)?.content).toContain('artifact missing: "report.md"')
    expect(worker.yard.board.attachmentsOf(1 as never).map(({ name }) => name)).toEqual(['report.md'])
  })
})

describe('C116: what a worker starts cannot speak in its name', () => {
  test('it inherits no token, no fence and no address, and what names the run alone opens nothing', async () => {
    const node = `const h=require('http');h.get(require('fs').readFileSync(process.argv[1],'utf8').trim()+'/api/v1/run',{agent:false,headers:{authorization:'Bearer R1'}},(r)=>require('fs').writeFileSync('status',String(r.statusCode)))`
    const command = `env >env; ls -l /proc/self/fd >descriptors; (: <&3) 2>/dev/null && cat <&3 >three; ${process.execPath} -e "${node}" ../runs/0/R1/hub; true`
    await using worker = await startTokenWorker({
      script: JSON.stringify({
        plays: [{ turns: [{ call: [{ tool: 'terminal', with: { command } }] }, { say: 'Tried.' }] }],
      }),
    })
    expect(await worker.ended).toMatchObject({ code: 0 })

    const read = (name: string) => readFileSync(join(worker.folder, name), 'utf8')
    expect(read('status')).toBe('401')
    expect(read('env')).not.toContain(worker.started.token.slice(8))
    expect(read('env')).not.toMatch(/YARDMASTER_(HUB_FILE|FENCE|REPORT|API_KEY)=/)
    expect(() => read('three')).toThrow('ENOENT')
  })
})

function otherHub(home: string, port: number): string {
  writeFileSync(join(home, 'hub-of-another'), `http://127.0.0.1:${port}\n`)
  return join(home, 'hub-of-another')
}
