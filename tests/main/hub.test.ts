import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { emptyConfig } from '../../src/kernel/config/index.ts'
import { findHub, type Hub, type HubOptions, openStore, startHub } from '../../src/main.ts'

let home: string
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'yard-main-')), 'home')
})
afterEach(() => rmSync(join(home, '..'), { recursive: true }))

const options = (overrides: Partial<HubOptions> = {}): HubOptions => ({
  home,
  config: emptyConfig(8),
  env: { PATH: process.env.PATH, HOME: home },
  purpose: 'run',
  paused: false,
  self: [process.execPath, '/nowhere/bin.cjs'],
  version: '1.2.3',
  ...overrides,
})

const mode = (path: string) => (statSync(join(home, path)).mode & 0o777).toString(8)

describe('a hub', () => {
  test('makes a home that only its owner can read, and says in it who it is', async () => {
    const hub = await startHub(options())
    try {
      for (const folder of ['', 'runs', 'workspaces', 'log']) expect([folder, mode(folder)]).toEqual([folder, '700'])
      for (const file of ['token', 'hub.json', 'log/hub.log']) expect([file, mode(file)]).toEqual([file, '600'])
      const note = JSON.parse(readFileSync(join(home, 'hub.json'), 'utf8'))
      expect(note).toEqual({
        pid: process.pid,
        port: hub.port,
        fingerprint: expect.stringContaining(`|${process.pid}:`),
        started: expect.stringMatching(/^\d{4}-.*Z$/),
      })
    } finally {
      await hub.stop({ workers: 'end' })
    }
  })
})
