import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Hub } from '../../../src/main.ts'
import { aHub } from '../a-hub.ts'
import { openPlace, type Place, saying } from './a-place.ts'

let place: Place
let hub: Hub
beforeEach(async () => {
  place = openPlace()
  hub = await aHub(place.home, { env: { PATH: process.env.PATH, YARDMASTER_RETRY_WAIT: '50ms-200ms' } })
})
afterEach(async () => {
  await hub.stop({ workers: 'end' })
  await place[Symbol.asyncDispose]()
})

const waits =
  'tasks: { a: { run: echo one }, b: { run: "touch b.runs; until test -e go; do sleep 0.05; done; exit 4" } }'

describe('with a hub up', () => {
  test('run hands the batch over, follows it and answers its verdict', async () => {
    place.put('b.yaml', 'tasks: { a: { run: echo one }, b: { run: "false" } }')
    const { code, out } = await place.type(['run', 'b.yaml', '--report', 'out'])
    expect(code).toBe(3)
    expect(out).toContain('B1 b: 1 failed of 2, exit 3')
    expect(out).not.toContain('YARDMASTER_HOME')
    expect(place.read('out/report.md')).toContain('# B1 b: 1 failed of 2, exit 3')
  })

  test('--detach leaves it to the hub; wait answers its verdict, report shows it', async () => {
    place.put('b.yaml', waits)
    const { code, out } = await place.type(['run', 'b.yaml', '--detach'])
    expect(code).toBe(0)
    expect(out).toBe(
      `B1 b: 2 tasks, worked by the hub (pid ${process.pid}). Safe to log out. ` +
        'Watch: yardmaster watch B1 · stop: yardmaster cancel B1\n',
    )
    await place.appears('b.runs')
    expect((await place.type(['report', 'b'])).out).toMatch(/^# B1 b is not over: /)
    const waiting = place.type(['wait', 'B1'])
    place.put('go', '')
    expect(await waiting).toEqual({
      code: 3,
      out: 'B1 b: 1 failed of 2, exit 3\nNext: yardmaster report B1\n',
      err: '',
    })
    expect((await place.type(['report'])).out).toMatch(/^# B1 b: 1 failed of 2, exit 3\n/)
    expect(await place.type(['wait', 'b', '-q'])).toEqual({ code: 3, out: '', err: '' })
  })

  test('wait gives up after its own time without ending the batch', async () => {
    place.put('b.yaml', waits)
    await place.type(['run', 'b.yaml', '--detach'])
    const { code, err } = await place.type(['wait', '--timeout', '50ms'])
    expect(code).toBe(9)
    expect(err).toContain('B1 is not over yet; it goes on. Wait on: yardmaster wait B1')
    expect(await place.type(['wait', '--timeout', 'soon'])).toMatchObject({ code: 2 })
  })

  test('watch shows the ends of a batch that another started', async () => {
    place.put('b.yaml', waits)
    await place.type(['run', 'b.yaml', '--detach'])
    await place.appears('b.runs')
    const first = saying('B1 b  2 tasks\n')
    const watching = place.type(['watch', 'b'], { onOut: first.heard })
    await first.said
    place.put('go', '')
    const { code, out } = await watching
    expect(code).toBe(0)
    expect(out).toContain('failed [failed]')
    expect(out).toContain('B1 b: 1 failed of 2, exit 3')
  })

  test('Ctrl-C leaves the batch to the hub and says how to stop it', async () => {
    place.put('b.yaml', waits)
    const interrupt = new AbortController()
    const running = place.type(['run', 'b.yaml'], { interrupt: interrupt.signal })
    await place.appears('b.runs')
    interrupt.abort()
    const { code, out } = await running
    expect(code).toBe(130)
    expect(out).toContain('B1 goes on in the hub. Watch: yardmaster watch B1 · stop: yardmaster cancel B1')
    expect((await hub.client.batch(1)).verdict).toBeNull()
    place.put('go', '')
    expect((await place.type(['wait'])).code).toBe(3)
  })

  test('a batch that is cancelled from elsewhere ends with 3 and names why', async () => {
    place.put('b.yaml', waits)
    const running = place.type(['run', 'b.yaml'])
    await place.appears('b.runs')
    await hub.client.cancelBatch(1)
    const { code, out } = await running
    expect(code).toBe(3)
    expect(out).toContain('cancelled [cancelled]')
    expect(out).toMatch(/B1 b: cancelled by .*; 1 cancelled of 2, exit 3\n/)
  })

  test('another configuration than the hub works with is refused, never ignored', async () => {
    place.put('b.yaml', waits)
    place.put('other.yaml', 'slots: 2')
    expect(await place.type(['run', 'b.yaml', '--config', 'other.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('works with no configuration file, not with'),
    })
  })

  test('--orphans is refused, because workers of a hub are adopted', async () => {
    place.put('b.yaml', waits)
    expect(await place.type(['run', 'b.yaml', '--orphans', 'die'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--orphans is for a run without a hub'),
    })
  })
})

describe('batches that nobody knows', () => {
  test.each([['report'], ['wait'], ['watch']])('%s says so and how to get one', async (verb) => {
    const named = await place.type([verb, 'nothing'])
    expect(named.code).toBe(2)
    expect(named.err).toContain('"nothing" names nothing: no batch has this name')
    const last = await place.type([verb])
    expect(last.code).toBe(2)
    expect(last.err).toContain('no batch was submitted yet')
  })

  test('a report since a time that is none is refused', async () => {
    expect(await place.type(['report', '--since', 'noonish'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('"noonish" is no time'),
    })
  })
})
