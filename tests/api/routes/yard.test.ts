import { describe, expect, test } from 'vitest'
import { openApiYard, startRun } from '../open-yard.ts'

describe('the yard at a glance', () => {
  test('tells slots, counts, lanes and accounts', async () => {
    await using yard = await openApiYard()
    await yard.client.createTask({ dir: '/x', run: 'true' })
    await yard.client.createTask({ dir: '/x', run: 'true', draft: true })
    startRun(yard)
    expect(await yard.client.health()).toMatchObject({
      version: '1.2.3',
      pid: 42,
      dispatching: true,
      draining: false,
      slots: { total: 4, used: 1 },
      counts: { running: 1, triage: 1, done: 0 },
      holds: [],
      accounts: [{ name: 'openai', open: true, until: null, parked_by: null }],
      last_seq: yard.board.lastSeq(),
      home: yard.home,
      lanes: expect.arrayContaining([{ name: 'chat', uses: 'chat', ready: false, says: 'no model' }]),
    })
  })

  test('pause, drain and resume are held and lifted, with who and why', async () => {
    await using yard = await openApiYard()
    const paused = await yard.client.pause({ scope: 'lane', name: 'tests', text: 'database is down' })
    expect(paused.holds).toMatchObject([
      { scope: 'lane', name: 'tests', kind: 'pause', by: 'Zoë', text: 'database is down' },
    ])
    const drained = await yard.client.drain({ scope: 'all' })
    expect(drained).toMatchObject({ draining: true })
    await yard.client.resume({ scope: 'all' })
    expect(await yard.client.resume({ scope: 'lane', name: 'tests' })).toMatchObject({ draining: false, holds: [] })
  })

  test('what is held is lifted by its name, also when the configuration does not know it any more', async () => {
    await using yard = await openApiYard({ yard: { lanes: () => [], accounts: [] } })
    for (const [scope, name] of [
      ['lane', 'tests'],
      ['account', 'openai'],
    ] as const) {
      yard.board.setHold({ scope, name, kind: 'pause', text: null }, { by: 'Zoë' })
      await expect(yard.client.pause({ scope, name })).rejects.toMatchObject({ code: 'API_BAD_REQUEST' })
      expect(await yard.client.resume({ scope, name })).toMatchObject({ holds: [] })
      await expect(yard.client.resume({ scope, name })).rejects.toMatchObject({ code: 'API_BAD_REQUEST' })
    }
  })

  test.each([
    ['a lane that nobody has', { scope: 'lane', name: 'tets' }, 'did you mean tests?'],
    ['an account that nobody has', { scope: 'account', name: 'openia' }, 'did you mean openai?'],
    ['a lane without its name', { scope: 'lane' }, 'name the lane'],
    ['everything, by a name', { scope: 'all', name: 'shop' }, 'leave name out'],
    ['no such scope', { scope: 'lanes', name: 'tests' }, 'did you mean lane?'],
  ])('pausing %s is refused, because it would hold nothing', async (_, body, fix) => {
    await using yard = await openApiYard()
    await expect(yard.client.pause(body as never)).rejects.toMatchObject({
      code: 'API_BAD_REQUEST',
      fix: expect.stringContaining(fix),
    })
    expect((await yard.client.health()).holds).toEqual([])
  })

  test('down is asked for and answered at once', async () => {
    await using yard = await openApiYard()
    expect(await yard.client.down('drain')).toMatchObject({ draining: true })
    expect(yard.downs).toEqual(['drain'])
  })

  test('without a hub there is nothing to bring down, and health says so', async () => {
    await using yard = await openApiYard({ dispatcher: 'none' })
    await expect(yard.client.down('now')).rejects.toMatchObject({ code: 'API_NO_HUB' })
    expect(await yard.client.health()).toMatchObject({ dispatching: false })
  })
})
