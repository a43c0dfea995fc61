import { expect, test } from 'vitest'
import { connectHttp } from '../../../src/api/client/index.ts'
import { findBatch, resolveBatch } from '../../../src/cli/targets/resolve-tasks.ts'
import { emptyConfig } from '../../../src/kernel/config/index.ts'
import { startHub } from '../../../src/main.ts'
import { aHome } from '../a-home.ts'

test('only a hub that knows no such batch says so: a token that is not its own is told as what it is', async () => {
  await using yard = aHome()
  const env = { PATH: process.env.PATH }
  const how = { purpose: 'up', paused: false, self: [process.execPath, 'bin.cjs'], version: '1.2.3' } as const
  const hub = await startHub({ home: yard.home, config: emptyConfig(8), env, ...how })
  try {
    expect(await findBatch(hub.client, 'night')).toBeUndefined()
    expect(await findBatch(hub.client, 'n'.repeat(900))).toBeUndefined()
    const stranger = connectHttp({ port: hub.port, token: 'ym_of-another-home', by: 'ann' })
    await expect(findBatch(stranger, 'night')).rejects.toMatchObject({ code: 'API_NO_TOKEN' })
    await expect(resolveBatch(stranger, 'B7')).rejects.toMatchObject({ code: 'API_NO_TOKEN' })
  } finally {
    await hub.stop({ workers: 'end' })
  }
})
