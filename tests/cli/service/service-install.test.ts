import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bootedMark, installUnit, unitPath } from '../../../src/cli/service/install-unit.ts'
import { composeUnit, systemHome, type UnitFacts } from '../../../src/cli/service/unit-text.ts'
import { aHome } from '../a-home.ts'

const root = mkdtempSync(join(tmpdir(), 'yard-unit-'))
afterAll(() => rmSync(root, { recursive: true }))

const facts: UnitFacts = {
  kind: 'user',
  self: [process.execPath, '/opt/yard/bin.cjs'],
  home: '/home/ana/.local/state/yardmaster',
  config: null,
  path: '/usr/local/bin:/usr/bin:/bin',
  user: 'ana',
}
const settingOf = (text: string, key: string) =>
  text.split('\n').flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []))

describe('the unit', () => {
  test.each(['user', 'system'] as const)(
    'of a %s takes no worker along, and is started again only where that helps',
    (kind) => {
      const text = composeUnit({ ...facts, kind, config: '/etc/yard/yardmaster.yaml' })
      expect(
        Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value])),
      ).toMatchObject({
        ExecStart: `${process.execPath} /opt/yard/bin.cjs up --service --config /etc/yard/yardmaster.yaml`,
        KillMode: 'process',
        OOMPolicy: 'continue',
        Delegate: 'yes',
        Restart: 'on-failure',
        RestartPreventExitStatus: '2',
        SuccessExitStatus: '130',
        WantedBy: kind === 'user' ? 'default.target' : 'multi-user.target',
      })
      expect(settingOf(text, 'User')).toEqual(kind === 'user' ? [] : ['ana'])
      expect(text).not.toMatch(/@[A-Z]+@/)
    },
  )

  test('of a machine has the usual home made for whom it runs as, and no other one', () => {
    const unit = (kind: UnitFacts['kind'], home: string) => composeUnit({ ...facts, kind, home })
    expect(settingOf(unit('system', systemHome), 'StateDirectory')).toEqual(['yardmaster'])
    expect(settingOf(unit('system', systemHome), 'StateDirectoryMode')).toEqual(['0700'])
    for (const text of [unit('system', '/srv/yard'), unit('user', facts.home)]) {
      expect(settingOf(text, 'StateDirectory')).toEqual([])
    }
  })

  test.each(['user', 'system'] as const)('of a %s leaves it to workers whom their files are open to', (kind) => {
    expect(settingOf(composeUnit({ ...facts, kind }), 'UMask')).toEqual([])
  })

  const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0
  test.skipIf(!canVerify).each(['user', 'system'] as const)('of a %s is one that systemd understands', (kind) => {
    const program = join(root, 'bin.cjs')
    writeFileSync(program, '')
    const file = join(root, 'yardmaster.service')
    const odd = {
      home: '/srv/a "b" \\c $HOME 100%/y',
      path: '/usr/bin:/opt/my tools/bin',
      config: '/etc/$x/100% y.yaml',
    }
    writeFileSync(file, composeUnit({ ...facts, ...odd, kind, self: [process.execPath, program], user: 'root' }))
    const how = kind === 'user' ? ['--user'] : []
    const { status, stderr } = spawnSync('systemd-analyze', [...how, 'verify', '--man=no', file], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: root },
    })
    // Known from systemd 254 on, and left out before.
    const said = stderr.split('\n').filter((line) => line !== '' && !line.includes("'DelegateSubgroup'"))
    expect({ status, said }).toEqual({ status: 0, said: [] })
  })

  test('writes odd paths so that they stay what they are', () => {
    const text = composeUnit({ ...facts, home: '/a b/50%/$x', config: '/a b/50%/$x "y".yaml' })
    expect(settingOf(text, 'Environment')[0]).toBe('"YARDMASTER_HOME=/a b/50%%/$x"')
    expect(settingOf(text, 'ExecStart')[0]).toContain(`--config "/a b/50%%/$$x \\"y\\".yaml"`)
    expect(() => composeUnit({ ...facts, home: '/a\n[Service]' })).toThrow(/cannot name/)
  })

  test.each(['ana', '1000', 'ana.b@example.org', 'ünal', 'svc$'])('may run as %s', (user) => {
    expect(settingOf(composeUnit({ ...facts, kind: 'system', user }), 'User')).toEqual([user])
  })

  test.each(['ana\nExecStartPre=/bin/rm', '', ' ', 'a b', '-ana', 'a:b', '../x'])('does not run as %j', (user) => {
    expect(() => composeUnit({ ...facts, kind: 'system', user })).toThrow(/is no name of a user/)
  })
})

describe('putting it in place', () => {
  test('writes it once, replaces its own older one, and leaves somebody else’s alone', () => {
    const path = unitPath('user', join(root, 'config'))
    expect(path).toBe(join(root, 'config', 'systemd', 'user', 'yardmaster.service'))
    const text = composeUnit(facts)
    expect(installUnit(path, text)).toBe('written')
    expect(installUnit(path, text)).toBe('unchanged')
    expect(statSync(path).mode & 0o777).toBe(0o644)
    expect(installUnit(path, composeUnit({ ...facts, path: '/bin' }))).toBe('replaced')
    writeFileSync(path, '[Service]\nExecStart=/my/own\n')
    expect(() => installUnit(path, text)).toThrow(expect.objectContaining({ code: 'CLI_UNIT_NOT_OURS' }))
    expect(readFileSync(path, 'utf8')).toContain('/my/own')
  })

  test('says what was in the way', () => {
    writeFileSync(join(root, 'a-file'), '')
    expect(() => installUnit(join(root, 'a-file', 'yardmaster.service'), 'x')).toThrow(
      expect.objectContaining({ code: 'CLI_UNIT_NOT_WRITTEN', fix: expect.stringContaining('--as USER') }),
    )
  })
})

describe('yardmaster service install', () => {
  test('prints the unit without writing anything; no key is in it, and a faulty configuration is told at once', async () => {
    await using yard = aHome()
    const config = 'accounts: { openai: { key: { env: OPENAI_API_KEY } } }\n'
    writeFileSync(join(yard.cwd, 'yardmaster.yaml'), config)
    const env = { PATH: process.env.PATH, HOME: yard.cwd, OPENAI_API_KEY: 'sk-secret-0123456789' }
    const printed = await yard.typeWith({ env }, 'service', 'install', '--print')
    expect(printed).toMatchObject({ code: 0, err: '' })
    expect(printed.out).toContain(`YARDMASTER_HOME=${yard.home}`)
    expect(printed.out).toContain(`--config ${join(yard.cwd, 'yardmaster.yaml')}`)
    expect(printed.out).not.toContain('sk-secret')
    expect(existsSync(join(yard.cwd, '.config'))).toBe(false)
    writeFileSync(join(yard.cwd, 'yardmaster.yaml'), 'slots: many\n')
    expect(await yard.typeWith({ env }, 'service', 'install')).toMatchObject({ code: 2, out: '' })
  })

  test('printed for a program it is one JSON document', async () => {
    await using yard = aHome()
    const { code, out } = await yard.type('service', 'install', '--print', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ kind: 'user', text: expect.stringContaining('[Service]') })
  })

  test.skipIf(existsSync(bootedMark))('without systemd says so, with the text and what to do instead', async () => {
    await using yard = aHome()
    const { code, out, err } = await yard.type('service', 'install')
    expect(code).toBe(2)
    expect(out).toContain('[Service]')
    expect(err).toContain('CLI_NO_SYSTEMD')
    expect(err).toContain('fix: in a container')
    expect(JSON.parse((await yard.type('service', 'install', '--json')).out)).toMatchObject({ kind: 'user' })
  })

  test.each([
    [['--user', '--system'], 'exclude each other'],
    [['--as', 'ana'], '--as goes with --system'],
  ])('%j is refused', async (flags, says) => {
    await using yard = aHome()
    expect(await yard.type('service', 'install', ...flags)).toMatchObject({
      code: 2,
      err: expect.stringContaining(says),
    })
  })
})
