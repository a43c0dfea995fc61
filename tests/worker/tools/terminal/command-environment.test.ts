import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TestDesk } from './desk.ts'

/** The variables of a real command. */
const lookAt = async (desk: TestDesk): Promise<Record<string, string>> => {
  const text = await desk.terminal('env -0 | tr "\\0\\n" "\\n "')
  const lines = text.split('\n').filter((line) => /^[A-Za-z_]\w*=/.test(line))
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

const secret = 'canary-key/42+xyz'
const boardEnv = {
  PATH: process.env.PATH,
  HOME: '/home/me',
  YARDMASTER_TASK: 'T1',
  YARDMASTER_RUN: 'R1',
  YARDMASTER_SLOT: '3',
  YARDMASTER_MARKER: 'yard:R1:abc',
}

describe('a command gets', () => {
  test('what keeps it from asking and drawing, always', async () => {
    await using desk = new TestDesk({ boardWorker: true, env: boardEnv })
    expect(await lookAt(desk)).toMatchObject({
      TERM: 'dumb',
      CI: '1',
      NO_COLOR: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_EDITOR: 'true',
      PAGER: 'cat',
      DEBIAN_FRONTEND: 'noninteractive',
      PYTHONUNBUFFERED: '1',
      npm_config_yes: 'true',
    })
  })

  test('nothing that changes what a command is, or belongs to the provider', async () => {
    const never = [
      ...['NODE_OPTIONS', 'BASH_ENV', 'ENV', 'LD_PRELOAD', 'PROMPT_COMMAND', 'GIT_DIR', 'GIT_ASKPASS', 'SSH_ASKPASS'],
      ...['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_ORG_ID', 'OPENAI_CUSTOM_HEADERS', 'AWS_BEARER_TOKEN_BEDROCK'],
    ]
    const env = { ...boardEnv, ...Object.fromEntries(never.map((name) => [name, '/nowhere'])) }
    await using desk = new TestDesk({ boardWorker: true, env })
    const seen = await lookAt(desk)
    expect(never.filter((name) => seen[name] !== undefined)).toEqual([])
    expect(seen.HOME).toBe('/home/me')
  })

  test('no variable that holds a secret of the worker, whatever it is called', async () => {
    const env = { ...boardEnv, LUCKY_NUMBER: secret, URL: `https://u:${secret}@host/`, SHORT: 'test', PLAIN: 'testing' }
    await using desk = new TestDesk({ boardWorker: true, env, knownSecrets: [secret, 'test'] })
    const seen = await lookAt(desk)
    expect(seen).toMatchObject({ PLAIN: 'testing' })
    expect(['LUCKY_NUMBER', 'URL', 'SHORT'].filter((name) => name in seen)).toEqual([])
  })

  test("of a person's own variables only the names that every worker gets", async () => {
    await using desk = new TestDesk({ env: { PATH: process.env.PATH, AWS_SECRET: 'x', HOME: '/home/me', LC_ALL: 'C' } })
    const seen = await lookAt(desk)
    expect(seen).toMatchObject({ HOME: '/home/me', LC_ALL: 'C' })
    expect('AWS_SECRET' in seen).toBe(false)
  })

  test('the folder with the files that people gave', async () => {
    await using desk = new TestDesk({ boardWorker: true, env: { ...boardEnv, YARDMASTER_ATTACHMENTS: '/given' } })
    expect((await lookAt(desk)).YARDMASTER_ATTACHMENTS).toBe('/given')
  })
})

test('C116 · a child of the worker gets task, run and slot, and nothing with which it could speak for it', async () => {
  const env = {
    ...boardEnv,
    YARDMASTER_REPORT: '/run/report.json',
    YARDMASTER_FENCE: '7',
    YARDMASTER_TOKEN: 'x',
    YARDMASTER_HUB: '/run/hub',
    YARDMASTER_API_KEY: 'y',
  }
  await using desk = new TestDesk({ boardWorker: true, env })
  mkdirSync(join(desk.workspace, 'bin'))
  writeFileSync(
    join(desk.workspace, 'agent.py'),
    'import os\nfor n in range(3, 64):\n  try: print("open", n, os.readlink(f"/proc/self/fd/{n}"))\n  except OSError: pass\n',
  )
  const own = Object.keys(await lookAt(desk)).filter((name) => name.startsWith('YARDMASTER_'))
  expect(own.sort()).toEqual(['YARDMASTER_MARKER', 'YARDMASTER_RUN', 'YARDMASTER_SLOT', 'YARDMASTER_TASK'])
  expect(await desk.terminal('python3 agent.py')).toMatch(/^\[no output\]/)
})
