import { EventEmitter, once } from 'node:events'
import { beforeAll, describe, expect, test } from 'vitest'
import { readStat } from '../../src/kernel/process/index.ts'
import { rehearse, requireFreshBuild } from './chat-worker.ts'

beforeAll(requireFreshBuild)

const isAlive = (pid: number) => {
  const stat = readStat(pid)
  return typeof stat !== 'string' && stat.state !== 'Z'
}

describe('a stop ends the worker with 130, whatever it is doing', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s in mid-stream: what was said is reported', async (signal) => {
    const asked = new EventEmitter()
    await using yard = await rehearse(
      'plays: [{ turns: [{ say: a longer answer, faults: [{ kind: stall, after: 2 }] }] }]',
      () => asked.emit('asked'),
    )
    const worker = yard.boardWorker(['-q', 'go'])
    await once(asked, 'asked')

    worker.child.kill(signal)

    expect(await worker.ended).toMatchObject({ code: 130, stdout: '' })
    expect(yard.report()).toMatchObject({ status: 'interrupted', reason: 'interrupted', served: false })
  })

  test('while it waits for a provider', async () => {
    await using yard = await rehearse(
      'plays: [{ turns: [{ faults: [{ kind: status, status: 429, retry_after: 25, times: always }] }] }]',
    )
    const worker = yard.boardWorker(['-q', 'go'])
    await worker.logged('the same call again in 25 s')

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(yard.report().status).toBe('interrupted')
  })

  test('while a command runs: the command, its children and those that left its group are ended first', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - say: I start it.
        call:
          - tool: terminal
            with:
              command: |
                trap '' TERM
                setsid bash -c 'echo $$ > far; trap "" TERM; while :; do sleep 0.05; done' &
                bash -c 'echo $$ > near; while :; do sleep 0.05; done' &
                while [ ! -s far ] || [ ! -s near ]; do sleep 0.02; done
                echo $$ > leader
                while :; do sleep 0.05; done
`)
    const worker = yard.boardWorker(['-q', 'go'])
    await yard.appeared('leader')
    const pids = ['far', 'near', 'leader'].map((name) => Number(yard.file(name)))

    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(pids.filter(isAlive)).toEqual([])
    expect(yard.report()).toMatchObject({ status: 'interrupted', result: 'I start it.', served: true, turns: 1 })
  })

  test('told twice it leaves at once', async () => {
    await using yard = await rehearse(`
plays:
  - turns:
      - call: [{ tool: terminal, with: { command: "trap '' TERM; echo $$ > leader; while :; do sleep 0.05; done" } }]
`)
    const worker = yard.boardWorker(['-q', 'go'])
    const leader = Number(await yard.appeared('leader'))

    worker.child.kill('SIGINT')
    await worker.logged('SIGINT: stopping')
    const asked = performance.now()
    worker.child.kill('SIGTERM')

    expect((await worker.ended).code).toBe(130)
    expect(performance.now() - asked).toBeLessThan(1_000)
    process.kill(leader, 'SIGKILL') // as the supervisor's sweep would
  })
})
