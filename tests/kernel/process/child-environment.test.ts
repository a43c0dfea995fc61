import { expect, test } from 'vitest'
import { runId } from '../../../src/kernel/index.ts'
import { buildChildEnvironment, type ChildEnvironment, formatMarker } from '../../../src/kernel/process/index.ts'

const marker = formatMarker(runId(12), 'abc')

function build(parts: Partial<ChildEnvironment> = {}) {
  return buildChildEnvironment({ from: {}, passEnv: [], secrets: {}, env: {}, own: {}, marker, ...parts })
}

test('a worker gets the allow-list and nothing else of the environment of the hub', () => {
  const from = {
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    LC_TIME: 'de_DE',
    XDG_CACHE_HOME: '/c',
    CI: 'true',
    TERM: 'xterm',
    OPENAI_API_KEY: 'sk-secret',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/x.so',
    XDGFOO: '1',
    MYPATH: '/y',
    TZ: undefined,
  }
  expect(build({ from })).toEqual({
    PATH: '/bin',
    HOME: '/root',
    LC_ALL: 'C',
    LC_TIME: 'de_DE',
    XDG_CACHE_HOME: '/c',
    CI: 'true',
    TERM: 'dumb',
    PYTHONUNBUFFERED: '1',
    YARDMASTER_MARKER: 'yard:R12:abc',
  })
})

test('names and patterns of pass_env are passed on, and only they', () => {
  const from = { NODE_ENV: 'test', NODE_PATH: 'x', JAVA_HOME: '/j', JAVA_HOME_2: '/k', A_B: '1', AxB: '2' }
  const { NODE_ENV, NODE_PATH, JAVA_HOME, ...rest } = build({ from, passEnv: ['NODE_*', 'JAVA_HOME', 'A_*', 'NO'] })
  expect([NODE_ENV, NODE_PATH, JAVA_HOME]).toEqual(['test', 'x', '/j'])
  expect(rest).toEqual({ A_B: '1', TERM: 'dumb', PYTHONUNBUFFERED: '1', YARDMASTER_MARKER: 'yard:R12:abc' })
})

test('a pattern takes along nothing that changes what a program is, or that asks somebody; a name does', () => {
  const from = { NODE_OPTIONS: '--inspect', BASH_ENV: '/x', LD_PRELOAD: '/y.so', GIT_ASKPASS: 'ask', GIT_DIR: '/r' }
  expect(build({ from, passEnv: ['*'] })).toEqual(build())
  expect(build({ from, passEnv: ['*', 'LD_PRELOAD'] })).toEqual({ ...build(), LD_PRELOAD: '/y.so' })
})

test('a pattern takes along no value that is kept back, under whatever name it stands there; a name does', () => {
  const from = { MY_KEY: 'sk-of-another', LC_NOTE: 'it is sk-of-another', MY_URL: 'x', SHORT: 'test', LC_PATH: '/test' }
  const keptBack = ['sk-of-another', 'test']
  const passed = (passEnv: readonly string[]) => Object.keys(build({ from, passEnv, keptBack })).toSorted()
  const always = Object.keys(build()).toSorted()
  expect(passed(['*'])).toEqual([...always, 'LC_PATH', 'MY_URL'].toSorted())
  expect(passed(['MY_KEY'])).toEqual([...always, 'LC_PATH', 'MY_KEY'].toSorted())
})

test('a variable that no shell can hand on is refused where it is named, and left out where a pattern meets it', () => {
  const odd = { 'npm_config_//host/:token': 'secret', npm_config_yes: '1' }
  expect(build({ from: odd, passEnv: ['npm_config_*'] })).toMatchObject({ npm_config_yes: '1' })
  expect(Object.keys(build({ from: odd, passEnv: ['npm_config_*'] }))).not.toContain('npm_config_//host/:token')
  expect(() => build({ passEnv: ['spring.url'] })).toThrow(expect.objectContaining({ code: 'PROCESS_BAD_VARIABLE' }))
})

test('what a task names wins over what is passed on, and our own wins over everything', () => {
  expect(
    build({
      from: { PATH: '/bin' },
      secrets: { KEY: 'of the account' },
      env: { PATH: '/opt', TERM: 'xterm', KEY: 'of the task', YARDMASTER_RUN: 'R1', YARDMASTER_MARKER: 'forged' },
      own: { YARDMASTER_RUN: 'R12' },
    }),
  ).toMatchObject({ PATH: '/opt', TERM: 'xterm', KEY: 'of the task', YARDMASTER_RUN: 'R12', YARDMASTER_MARKER: marker })
})

test('a terminal is dumb unless it is passed on by name', () => {
  expect(build({ from: { TERM: 'xterm' } }).TERM).toBe('dumb')
  expect(build({ from: { TERM: 'xterm' }, passEnv: ['TERM'] }).TERM).toBe('xterm')
})

test('a yard inside a worker of another yard keeps the outer mark', () => {
  expect(build({ from: { YARDMASTER_MARKER: 'yard:R3:outer yard:R4:middle' } }).YARDMASTER_MARKER).toBe(
    'yard:R3:outer yard:R4:middle yard:R12:abc',
  )
})

test.each([
  ['', 'x'],
  ['A=B', 'x'],
  ['spring.url', 'x'],
  ['1A', 'x'],
  ['A\0', 'x'],
  ['A', 'x\0'],
])('the variable %j with the value %j is refused by name', (name, value) => {
  expect(() => build({ env: { [name]: value } })).toThrow(
    expect.objectContaining({ code: 'PROCESS_BAD_VARIABLE', message: expect.stringContaining(JSON.stringify(name)) }),
  )
})
