import { expect, test } from 'vitest'
import { connectHttp } from '../../../src/api/client/index.ts'
import { findBatch, resolveBatch } from '../../../src/cli/targets/resolve-tasks.ts'
import { aHome } from '../a-home.ts'
import { aHub } from '../a-hub.ts'

test('only a hub that knows no such batch says so: a token that is not its own is told as what it is', async () => {
  await using yard = aHome()
  const hub = await aHub(yard.home)
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
