import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtBy, isStale, products } from '../../../ops/setup/build-if-stale.mjs'
import { isInstalled, wantedStamp } from '../../../ops/setup/install-packages.mjs'
import { ensureSystemPackages, findMissing, systemPackages } from '../../../ops/setup/system-packages.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-set-up-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('packages', () => {
  test('count as installed only with the stamp of this lock file and this Node', () => {
    writeFileSync(join(folder, 'package-lock.json'), '{}')
    expect(isInstalled(folder)).toBe(false)

    mkdirSync(join(folder, 'node_modules'))
    writeFileSync(join(folder, 'node_modules', '.yardmaster-installed'), wantedStamp(folder))
    expect(isInstalled(folder)).toBe(true)

    writeFileSync(join(folder, 'package-lock.json'), '{ "packages": {} }')
    expect(isInstalled(folder)).toBe(false)
  })
})

describe('the build', () => {
  /** Writes a file of the checkout and dates it `offset` seconds from the beginning of this test. */
  const began = Date.now() / 1_000
  function put(path: string, offset: number, text = ''): void {
    const file = join(folder, path)
    const seconds = began + offset
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, seconds, seconds)
  }

  beforeEach(() => {
    for (const path of ['src/kernel/clock.ts', 'ops/build.mjs', 'ops/keep-compiled.mjs', 'package.json'])
      put(path, -1_000)
    put(builtBy, 1_000, process.version)
  })

  test('is made when there is none', () => {
    expect(isStale(folder)).toBe(true)
  })

  test('is left alone when it is newer than every source', () => {
    for (const path of products) put(path, 1_000)
    expect(isStale(folder)).toBe(false)
  })

  test.each(['src/kernel/clock.ts', 'src/board/sqlite/claim.sql', 'ops/build.mjs', 'package.json'])(
    'is made again after a change of %s',
    (changed) => {
      for (const path of products) put(path, 1_000)
      put(changed, 2_000)
      expect(isStale(folder)).toBe(true)
    },
  )

  test('is made again by another release of Node', () => {
    for (const path of products) put(path, 1_000)
    put(builtBy, 1_000, 'v18.0.0')
    expect(isStale(folder)).toBe(true)
  })

  test('is made again when one product is missing', () => {
    for (const path of products.slice(1)) put(path, 1_000)
    expect(isStale(folder)).toBe(true)
  })
})

describe('system packages', () => {
  test('are looked for on PATH, and a file that may not be run does not count', () => {
    writeFileSync(join(folder, 'there'), '')
    chmodSync(join(folder, 'there'), 0o755)
    writeFileSync(join(folder, 'no-program'), '')
    chmodSync(join(folder, 'no-program'), 0o644)
    const wanted = [{ program: 'there' }, { program: 'no-program' }, { program: 'absent' }]
    expect(findMissing(wanted, folder).map((row) => row.program)).toEqual(['no-program', 'absent'])
  })

  test('that are missing are named with why and what to type, and nothing is installed without being asked for', async () => {
    const said: string[] = []
    const path = process.env.PATH
    process.env.PATH = folder
    try {
      const missing = await ensureSystemPackages('bench', { install: 'ask', say: (line: string) => said.push(line) })
      expect(missing.map((row) => row.debian)).toEqual(['parallel'])
    } finally {
      process.env.PATH = path
    }
    expect(said.join('\n')).toContain('parallel, which is the peer that cycle_time_vs_parallel is measured against')
    expect(said.join('\n')).toContain('apt-get install parallel, or run this again with --yes')
  })

  test('each say what they are for', () => {
    for (const row of Object.values(systemPackages).flat()) expect(row.why.length).toBeGreaterThan(20)
  })
})
