import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { composeUnit } from '../../../src/cli/service/unit-text.ts'
import { emptyConfig, parseConfig } from '../../../src/kernel/config/index.ts'
import { YardError } from '../../../src/kernel/index.ts'
import { checkGit, checkNode } from '../../../src/main/doctor/check-program.ts'
import { judgeUnit } from '../../../src/main/doctor/check-service.ts'
import { examineYard } from '../../../src/main.ts'
import { holdLock, makeYardHome, type YardHome } from '../yard-home.ts'

const root = mkdtempSync(join(tmpdir(), 'yard-doctor-'))
afterAll(() => rmSync(root, { recursive: true }))

type Input = Parameters<typeof examineYard>[0]

async function examine(yard: YardHome, over: Partial<Input> = {}) {
  const { home, config, env, self, version } = yard.options()
  return await examineYard({ home, config, env, self, version, configHome: join(root, 'no-config'), ...over })
}

const named = async (yard: YardHome, name: string, over: Partial<Input> = {}) =>
  (await examine(yard, over)).filter((check) => check.name === name)

describe('doctor', () => {
  test('finds nothing bad where nothing is yet, and makes nothing', async () => {
    await using yard = makeYardHome()
    const checks = await examine(yard)
    expect(checks.filter(({ state }) => state === 'bad')).toEqual([])
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['program', 'home', 'machine', 'hub', 'config']),
    )
    expect(existsSync(yard.home)).toBe(false)
  })

  test('says of a hub that is up where it answers, and takes nothing from it', async () => {
    await using yard = makeYardHome()
    const hub = await yard.start()
    const checks = await examine(yard)
    const says = Object.fromEntries(checks.map(({ name, says }) => [name, says]))
    expect(checks.filter(({ state }) => state === 'bad')).toEqual([])
    expect(says.hub).toContain(`pid ${process.pid} answers at http://127.0.0.1:${hub.port}`)
    expect(says.lock).toBe(`held by the hub (pid ${process.pid})`)
    expect(says.stops).toBe('no hub was killed in the last 24 hours')
    await expect(yard.start()).rejects.toMatchObject({ code: 'MAIN_HOME_TAKEN' }) // its lock still holds
    expect(await named(yard, 'hub', { version: '9.9.9' })).toMatchObject([
      {
        state: 'warn',
        says: expect.stringContaining('its version is 1.2.3'),
        fix: expect.stringContaining('--replace'),
      },
    ])
  })

  test('says why nothing starts, and which stops were no good ones', async () => {
    await using yard = makeYardHome()
    for (let time = 0; time < 3; time += 1) {
      await (await yard.start()).stop({ workers: 'end' })
      const db = new Sqlite(join(yard.home, 'yard.db'))
      db.exec('update hub set stopped_at_ms = null')
      db.close()
    }
    await yard.start({ startedBy: 'service' })
    expect(await named(yard, 'stops')).toMatchObject([{ state: 'warn', says: expect.stringContaining('3 times') }])
    expect(await named(yard, 'pause')).toMatchObject([
      { state: 'warn', says: expect.stringContaining('uncleanly 3 times'), fix: 'yardmaster resume' },
    ])
  })

  test('names who holds the lock where no hub answers, and what a killed hub left', async () => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    expect(await named(yard, 'lock')).toMatchObject([{ state: 'ok', says: 'free' }])
    const other = await holdLock(yard.home)
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: 4_194_400, port: 1 }))
    expect(await named(yard, 'lock')).toMatchObject([{ state: 'warn', says: expect.stringContaining('pid 4194400') }])
    const note = { pid: 12, port: 1, machine: 'another', host: 'build-2' }
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify(note))
    expect(await named(yard, 'lock')).toMatchObject([{ state: 'bad', says: expect.stringContaining('build-2') }])
    await other.kill()
    expect(await named(yard, 'lock')).toMatchObject([
      {
        state: 'warn',
        says: expect.stringContaining('build-2, another machine'),
        fix: expect.stringContaining('held'),
      },
    ])
    writeFileSync(join(yard.home, 'hub.json'), JSON.stringify({ pid: 4_194_400, port: 1 }))
    expect(await named(yard, 'lock')).toMatchObject([
      { state: 'warn', says: expect.stringContaining('without a farewell'), fix: expect.stringContaining('adopts') },
    ])
  })

  test('finds a home that others may look into, and a token that they may have read', async () => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    chmodSync(join(yard.home, 'token'), 0o644)
    expect(await named(yard, 'token')).toMatchObject([{ state: 'bad', fix: expect.stringContaining('remove') }])
    chmodSync(yard.home, 0o755)
    expect(await named(yard, 'home')).toMatchObject([{ state: 'warn', says: expect.stringContaining('mode 0755') }])
    expect(await named(yard, 'token')).toMatchObject([{ state: 'bad' }]) // now of all times
  })

  test('finds a token that every command would refuse', async () => {
    await using yard = makeYardHome()
    await (await yard.start()).stop({ workers: 'end' })
    writeFileSync(join(yard.home, 'token'), 'half a tok')
    expect(await named(yard, 'token')).toMatchObject([
      { state: 'bad', says: expect.stringContaining('does not hold a token'), fix: expect.stringContaining('remove') },
    ])
  })

  test('says of a home that is not there yet when it could not be made', async () => {
    await using yard = makeYardHome()
    writeFileSync(join(yard.folder, 'file'), '')
    const below = join(yard.folder, 'file', 'a', 'home')
    expect(await named(yard, 'home', { home: below })).toEqual([
      {
        name: 'home',
        state: 'bad',
        says: `${below} cannot be made: ${join(yard.folder, 'file')} is no folder`,
        fix: 'name another one in YARDMASTER_HOME',
      },
    ])
  })

  test('finds a store that this program cannot read, without opening it', async () => {
    await using yard = makeYardHome()
    mkdirSync(yard.home, { mode: 0o700 })
    writeFileSync(join(yard.home, 'yard.db'), 'hello '.repeat(1_000))
    const before = readdirSync(yard.home)
    const checks = await examine(yard)
    expect(checks.filter(({ state }) => state === 'bad')).toMatchObject([
      { name: 'store', says: expect.stringContaining('yard.db'), fix: expect.any(String) },
    ])
    expect(readdirSync(yard.home)).toEqual(before)
  })

  test('tells faults of the configuration, a lane that cannot start and a key that is not there; never the key', async () => {
    await using yard = makeYardHome()
    const fault = new YardError({ code: 'CONFIG_INVALID', status: 400, message: 'slots', fix: 'mend it', values: {} })
    expect(await named(yard, 'config', { config: fault })).toEqual([
      { name: 'config', state: 'bad', says: 'slots', fix: 'mend it' },
    ])
    const text = `
      accounts: { openai: { key: { env: THE_KEY } }, other: { key: { env: OTHER } } }
      lanes: { chat: { uses: chat, account: openai, model: m }, ours: { uses: command, command: [no-such-agent] } }`
    const parsed = parseConfig({ text, file: join(root, 'yardmaster.yaml'), cores: 4 })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    const { config } = parsed
    const env = { PATH: '/usr/bin:/bin', THE_KEY: 'sk-secret-0123456789' }
    const checks = await examine(yard, { config, env })
    expect(checks).toContainEqual(expect.objectContaining({ name: 'keys', says: 'account openai: its key is there' }))
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'lanes', state: 'warn', says: expect.stringContaining('no-such-agent') }),
    )
    expect(JSON.stringify(checks)).not.toContain('sk-secret')
    expect(await named(yard, 'keys', { config, env: { PATH: '/bin' } })).toMatchObject([
      { state: 'warn', says: expect.stringContaining('THE_KEY is not set') },
    ])
  })

  test('looks at the disk with the limit of the configuration', async () => {
    await using yard = makeYardHome()
    mkdirSync(yard.home, { mode: 0o700 })
    const config = { ...emptyConfig(1), diskFreeBytes: Number.MAX_SAFE_INTEGER }
    expect(await named(yard, 'disk', { config })).toMatchObject([
      { state: 'bad', fix: expect.stringContaining('disk_free') },
    ])
  })

  test('goes by what the hub that is up has read: another yardmaster.yaml may be found from here, or none', async () => {
    await using yard = makeYardHome()
    const text = `
      disk_free: 1024TiB
      accounts: { here: { base_url: 'http://127.0.0.1:1/v1', key: none } }
      lanes: { chat: { uses: chat, account: here, model: m } }`
    const parsed = parseConfig({ text, file: '/elsewhere/yardmaster.yaml', cores: 4 })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    const hub = await yard.start({ config: parsed.config })
    await expect.poll(async () => (await hub.client.health()).lanes.length).toBeGreaterThan(0)
    expect(await named(yard, 'disk')).toMatchObject([{ state: 'bad', says: expect.stringContaining('below 1024 TiB') }])
    const lanes = await named(yard, 'lanes')
    expect(lanes.map(({ says }) => says).join()).not.toContain('Not set up')
    expect(await named(yard, 'config')).toMatchObject([
      {
        state: 'warn',
        says: expect.stringMatching(/^no yardmaster.yaml found .*; the hub reads \/elsewhere\/yardmaster.yaml$/),
      },
    ])
  })

  test('finds a unit that would end attempts, or that starts what is gone', async () => {
    await using yard = makeYardHome()
    const configHome = mkdtempSync(join(root, 'config-'))
    const unit = join(configHome, 'systemd', 'user', 'yardmaster.service')
    mkdirSync(join(unit, '..'), { recursive: true })
    writeFileSync(unit, '[Service]\nExecStart=/bin/true\n')
    expect(await named(yard, 'service', { configHome })).toMatchObject([
      { state: 'warn', says: expect.stringContaining('KillMode=process') },
    ])
    writeFileSync(unit, '[Service]\nExecStart=/usr/bin/env /no/such/bin.cjs up\nKillMode=process\n')
    expect(await named(yard, 'service', { configHome })).toMatchObject([
      { state: 'warn', says: expect.stringContaining('/no/such/bin.cjs, which is gone') },
    ])
    const program = join(configHome, 'my 100% "tools" $x')
    writeFileSync(program, '')
    const there = composeUnit({
      kind: 'user',
      self: [process.execPath, program],
      home: yard.home,
      config: null,
      path: '/bin',
      user: 'ana',
    })
    writeFileSync(unit, there)
    expect((await named(yard, 'service', { configHome })).map(({ says }) => says).join()).not.toContain('is gone')
    rmSync(program)
    expect(await named(yard, 'service', { configHome })).toMatchObject([
      { state: 'warn', says: expect.stringContaining(`starts ${program}, which is gone`) },
    ])
  })
})

test.each([
  ['v20.18.3', 'bad'],
  ['v20.19.0', 'ok'],
  ['v22.1.0', 'ok'],
  ['v18.20.0', 'bad'],
])('Node %s is %s', (node, state) => {
  expect(checkNode('1.0.0', node)).toMatchObject([{ state }])
})

test.each([
  [{ ActiveState: 'active', SubState: 'running', UnitFileState: 'enabled' }, 'ok'],
  [{ ActiveState: 'active', UnitFileState: 'enabled', NeedDaemonReload: 'yes' }, 'warn'],
  [{ ActiveState: 'failed', SubState: 'failed', NRestarts: '10', UnitFileState: 'enabled' }, 'bad'],
  [{ ActiveState: 'inactive', UnitFileState: 'enabled' }, 'warn'],
  [{ ActiveState: 'active', UnitFileState: 'disabled' }, 'warn'],
])('a unit of which systemd says %j is %s', (facts, state) => {
  expect(judgeUnit('/u', 'systemctl --user', facts)).toMatchObject({ state })
})

test('doctor says which git makes worktrees, and what waits where there is none', async () => {
  expect(await checkGit({ env: { PATH: process.env.PATH } }, '/')).toMatchObject([
    { name: 'git', state: 'ok', says: expect.stringMatching(/^git \d+\.\d+/) },
  ])
  expect(await checkGit({ env: { PATH: '/nowhere' } }, '/')).toMatchObject([
    { name: 'git', state: 'warn', says: expect.stringContaining('tasks in worktrees wait for it') },
  ])
})
