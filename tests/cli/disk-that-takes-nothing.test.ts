import { readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readStore } from '../../src/main.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../fixtures/small-disk.ts'
import { makeYardHome } from '../main/yard-home.ts'
import { aHome } from './a-home.ts'

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('yardmaster-copy-'))
const lookOf = (home: string) =>
  readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== 'yard.db-shm' && name !== 'yard.db-wal')
    .map((name) => `${name} ${statSync(join(home, name)).mtimeMs}`)

const ways = {
  'is full': (disk: SmallDisk) => void disk.fill(),
  'only reads': (disk: SmallDisk) => disk.remount('ro'),
}

describe.skipIf(!canMount)('without a hub, on a disk that takes nothing (needs the right to mount a small one)', () => {
  test.each(Object.keys(ways) as (keyof typeof ways)[])('that %s, what is on it can still be read', async (way) => {
    const disk = mountSmallDisk(4)
    if (disk === undefined) throw new Error('no disk')
    using _ = disk
    await using yard = aHome()
    const home = join(disk.folder, 'home')
    const type = (...argv: string[]) => yard.typeWith({ home }, ...argv)
    await type('add', 'a card', '--', 'true')
    ways[way](disk)
    const [before, copiesBefore] = [lookOf(home), copies()]

    const listed = await type('list')
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('a card') })
    expect(listed.err).toMatch(/^Read from a copy: the (disk|home) .*\n$/)
    expect(await type('list', '--all', '-q')).toEqual({ code: 0, out: 'T1\n', err: '' })
    expect((await type('why', 'T1')).out).toContain('[no_hub]')
    expect((await type('show', 'T1')).out).toContain('T1 a card')
    expect((await type('export')).out.trimEnd().split('\n')).toHaveLength(2)
    expect((await type('show', 'T9')).err).toContain('there is no task T9')

    const refused = await type('comment', 'T1', 'nothing can be written')
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/BOARD_DISK_FULL|MAIN_HOME_UNUSABLE/) })
    expect(lookOf(home)).toEqual(before)
    expect(copies()).toEqual(copiesBefore)
  })
})

test('a copy that is read takes no change, so that none is lost with it', async () => {
  await using yard = makeYardHome()
  const hub = await yard.start()
  await hub.client.createTask({ run: 'true', dir: yard.folder, draft: true })
  await hub.stop({ workers: 'end' })
  const store = await readStore(yard.options())
  expect(await store.client.task(1)).toMatchObject({ status: 'triage' })
  await expect(store.client.act(1, 'comment', 'lost')).rejects.toMatchObject({ status: 500 })
  await expect(store.client.pause({ scope: 'all' })).rejects.toMatchObject({ status: 500 })
  await store.close()
})
