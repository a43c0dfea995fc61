import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { restoreSetup, setupCacheOf, staleSetups, storeSetup } from '../../src/workspaces/setup-cache.ts'
import { fingerprintSetup, isSetupDue, markSetupDone } from '../../src/workspaces/setup-state.ts'
import type { Worktree } from '../../src/workspaces/worktree.ts'
import { madeOf, openPlace, type Place } from './repository.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
  place.write('lock.json', '1\n')
  place.git(['add', '-A'])
  place.git(['commit', '-qm', 'lock'])
})
afterEach(() => place.clear())

const setup = { run: 'npm ci', key: ['lock.json'] }
const treeOf = async (id: number) => madeOf(await place.make({ id })).worktree

/** As a setup would: two files in an ignored folder, and one that git knows nothing of. */
function install({ path }: Worktree): void {
  mkdirSync(join(path, 'node_modules', 'left'), { recursive: true })
  writeFileSync(join(path, 'node_modules', 'left', 'pad.js'), 'pad', { mode: 0o755 })
  symlinkSync('left/pad.js', join(path, 'node_modules', 'bin'))
  writeFileSync(join(path, 'new.txt'), 'new')
}

async function setUp(worktree: Worktree): Promise<void> {
  expect(await isSetupDue(place.deps, { worktree, setup })).toBe(true)
  install(worktree)
  await markSetupDone(place.deps, { worktree, setup })
}

describe('the setup of a worktree', () => {
  test('runs once; again when it was cut off, when its text changes, or what it depends on', async () => {
    const worktree = await treeOf(1)
    expect(await isSetupDue(place.deps, { worktree, setup })).toBe(true)
    expect(await isSetupDue(place.deps, { worktree, setup })).toBe(true)
    await markSetupDone(place.deps, { worktree, setup })
    expect(await isSetupDue(place.deps, { worktree: await treeOf(1), setup })).toBe(false)
    expect(await isSetupDue(place.deps, { worktree, setup: { ...setup, run: 'npm i' } })).toBe(true)
    await markSetupDone(place.deps, { worktree, setup })
    writeFileSync(join(worktree.path, 'lock.json'), '2\n')
    expect(await isSetupDue(place.deps, { worktree, setup })).toBe(true)
  })

  test('is copied from another worktree where the key is the same, and counts as done there', async () => {
    const [one, two] = [await treeOf(1), await treeOf(2)]
    await setUp(one)
    expect(await storeSetup(place.deps, { worktree: one, setup })).toBe('stored')
    expect(await restoreSetup(place.deps, { worktree: two, setup })).toBe('restored')
    expect(readFileSync(join(two.path, 'node_modules', 'bin'), 'utf8')).toBe('pad')
    expect(readFileSync(join(two.path, 'new.txt'), 'utf8')).toBe('new')
    expect(await isSetupDue(place.deps, { worktree: two, setup })).toBe(false)
    writeFileSync(join(two.path, 'node_modules', 'left', 'pad.js'), 'changed')
    expect(readFileSync(join(one.path, 'node_modules', 'left', 'pad.js'), 'utf8')).toBe('pad')
  })

  test('is not copied for another key, without a key, or over what is there', async () => {
    const one = await treeOf(1)
    await setUp(one)
    await storeSetup(place.deps, { worktree: one, setup })
    const two = await treeOf(2)
    expect(await restoreSetup(place.deps, { worktree: two, setup: { run: 'npm ci' } })).toBe('none')
    mkdirSync(join(two.path, 'node_modules'))
    expect(await restoreSetup(place.deps, { worktree: two, setup })).toBe('none')
    place.write('lock.json', '2\n')
    place.git(['commit', '-qam', 'lock 2'])
    expect(await restoreSetup(place.deps, { worktree: await treeOf(3), setup })).toBe('none')
  })

  test('is not copied from another repository where neither has the key', async () => {
    const [one, two] = [await treeOf(1), await treeOf(2)]
    const input = { worktree: one, setup: { run: 'npm ci', key: ['gone.json'] } }
    const elsewhere = { ...two, repo: '/somewhere/else' }
    expect(await fingerprintSetup({ ...input, worktree: two })).toBe(await fingerprintSetup(input))
    expect(await fingerprintSetup({ ...input, worktree: elsewhere })).not.toBe(await fingerprintSetup(input))
  })

  test('is not copied through a link of the repository to somewhere else', async () => {
    place.write('gen/kept.txt', 'kept')
    place.git(['add', '-A'])
    place.git(['commit', '-qm', 'gen'])
    const one = await treeOf(1)
    expect(await isSetupDue(place.deps, { worktree: one, setup })).toBe(true)
    writeFileSync(join(one.path, 'gen', 'made.txt'), 'made')
    await markSetupDone(place.deps, { worktree: one, setup })
    expect(await storeSetup(place.deps, { worktree: one, setup })).toBe('stored')
    const precious = join(place.root, 'precious')
    mkdirSync(precious)
    place.git(['rm', '-rq', 'gen'])
    symlinkSync(precious, join(place.repo, 'gen'))
    place.git(['add', '-A'])
    place.git(['commit', '-qm', 'link'])
    expect(await restoreSetup(place.deps, { worktree: await treeOf(2), setup })).toBe('none')
    expect(readdirSync(precious)).toEqual([])
  })

  test('what was there before it, a copied file, is not handed on, also in a folder that it filled', async () => {
    place.write('.env.d/mine', 'secret')
    const one = madeOf(await place.make({ id: 1, copy: ['.env.d'] })).worktree
    expect(await isSetupDue(place.deps, { worktree: one, setup })).toBe(true)
    install(one)
    writeFileSync(join(one.path, '.env.d', 'made'), 'made')
    await markSetupDone(place.deps, { worktree: one, setup })
    expect(await storeSetup(place.deps, { worktree: one, setup })).toBe('stored')
    const two = await treeOf(2)
    expect(await restoreSetup(place.deps, { worktree: two, setup })).toBe('restored')
    expect(existsSync(join(two.path, '.env.d', 'made'))).toBe(true)
    expect(existsSync(join(two.path, '.env.d', 'mine'))).toBe(false)
  })

  test('is kept for nobody where it changed files of the repository or links into its own folder', async () => {
    const one = await treeOf(1)
    await setUp(one)
    writeFileSync(join(one.path, 'a.txt'), 'changed by setup')
    expect(await storeSetup(place.deps, { worktree: one, setup })).toBe('not_stored')
    const two = await treeOf(2)
    expect(await isSetupDue(place.deps, { worktree: two, setup })).toBe(true)
    install(two)
    symlinkSync(join(two.path, 'node_modules'), join(two.path, 'node_modules', 'self'))
    await markSetupDone(place.deps, { worktree: two, setup })
    expect(await storeSetup(place.deps, { worktree: two, setup })).toBe('not_stored')
    expect(await restoreSetup(place.deps, { worktree: await treeOf(3), setup })).toBe('none')
  })

  test('what is kept goes when it was unused for long, or is the longest unused of too much', async () => {
    const one = await treeOf(1)
    await setUp(one)
    await storeSetup(place.deps, { worktree: one, setup })
    expect(await staleSetups(place.deps)).toEqual([])
    expect(await staleSetups(place.deps, { mostBytes: 1, unusedMs: 1e12 })).toHaveLength(1)
    const cache = setupCacheOf(place.home)
    mkdirSync(join(cache, 'old'))
    utimesSync(join(cache, 'old'), 1, 1)
    expect(await staleSetups(place.deps)).toEqual([join(cache, 'old')])
  })
})
