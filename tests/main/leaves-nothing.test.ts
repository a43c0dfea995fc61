import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findHub } from '../../src/main.ts'
import { makeYardHome, seen } from './yard-home.ts'

const openHandles = () => process.getActiveResourcesInfo()

/** More of a kind than there were; what another file of tests has left may go meanwhile. */
function addedTo(before: readonly string[]): readonly string[] {
  const rest = [...before]
  return openHandles().filter((kind) => {
    const at = rest.indexOf(kind)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
}

test('stopping leaves no port, note, lock, handle or timer behind, and may be asked for twice', async () => {
  await using yard = makeYardHome()
  const before = openHandles()
  const hub = await yard.start()
  await hub.client.createTask({ dir: yard.folder, run: 'true' })
  await seen(hub.client, ({ kind }) => kind === 'run.settled')
  await Promise.all([hub.stop({ workers: 'end' }), hub.stop({ workers: 'end' })])
  await expect.poll(() => addedTo(before)).toEqual([])
  expect(existsSync(join(yard.home, 'hub.json'))).toBe(false)
  expect(await findHub(yard.home)).toBeUndefined()
  await expect(hub.client.health()).rejects.toMatchObject({ code: 'CLIENT_HUB_GONE' })
  await (await yard.start()).stop({ workers: 'end' })
})
