import { expect, test } from 'vitest'
import type { CliDeps } from '../../src/cli/command.ts'
import { findHub, startHub } from '../../src/main.ts'
import { aHome } from './a-home.ts'

const broken = () => {
  throw new Error('the connection broke')
}

test.each(['health', 'events'] as const)('an up whose %s breaks takes its hub down before it says so', async (what) => {
  await using yard = aHome()
  const withBroken: CliDeps['main']['startHub'] = async (options) => {
    const hub = await startHub(options)
    const client = { ...hub.client, [what]: broken }
    return {
      client,
      port: hub.port,
      downAsked: hub.downAsked,
      stop: (how) => hub.stop(how),
      hurry: () => hub.hurry(),
      leaveRest: () => hub.leaveRest(),
    }
  }
  const { code, err } = await yard.typeWith({ main: { startHub: withBroken } }, 'up')
  expect([code, err]).toEqual([1, expect.stringContaining('the connection broke')])
  expect(await findHub(yard.home)).toBeUndefined()
  expect((await yard.type('list')).code).toBe(0)
})
