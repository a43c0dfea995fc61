import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { parseConfig } from '../../src/kernel/config/index.ts'
import { encodingsOf } from '../../src/kernel/index.ts'
import { type RecordedCall, startRehearsalServer } from '../../src/worker/index.ts'
import { makeYardHome, seen, type YardHome } from './yard-home.ts'

// A real hub, its real chat worker, and a model that says the secrets of the yard in every way that it can. Afterwards everything
// that is kept or told is searched for them.

/** The provider's key, a secret that the lane declares, and a key that nobody has told us about. */
const key = 'Kq9+wX_provider=canary-0123456789'
const token = 'shop canary "7" \\ Grüße & 0123456789'
const stranger = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`

const say = {
  plain: key,
  base64: Buffer.from(`user:${key}`).toString('base64'),
  inUrl: encodeURIComponent(key),
  inJson: JSON.stringify({ key, token }),
}
const all = Object.values(say).join(' ')
const half = key.length / 2
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const terminal = (command: string) => ({ tool: 'terminal', with: { command } })
const play = {
  turns: [
    {
      say: `I print ${all}`,
      call: [
        terminal(`printf '%s\n' ${quote(all)} "$SHOP_TOKEN" ${quote(stranger)}`),
        terminal(`printf ${quote(key.slice(0, half))}; sleep 0.05; printf ${quote(key.slice(half))}; echo`),
        terminal(
          'env; [ -n "$SHOP_TOKEN" ] && [ -z "$PROVIDER_KEY$YARDMASTER_API_KEY" ] && echo "as it should" be; exit 3',
        ),
        terminal(
          "for at in $PPID $(ps -o ppid= -p $PPID); do grep -qa YARDMASTER_TASK=T1 /proc/$at/environ && ! grep -qaE 'canar[y]-[0-9]+' /proc/$at/environ && echo 'out of' sight; done",
        ),
      ],
    },
    { call: [{ tool: 'write', with: { path: `notes-${key}.txt`, content: `${all} ${stranger}\n` } }] },
    { call: [{ tool: 'comment', with: { text: `It is ${all} ${token} ${stranger}` } }] },
    {
      call: [
        { tool: 'read', with: { path: key, [key]: token } },
        { tool: key, with: `{ broken ${key}` },
      ],
    },
    {
      say: `Done: ${all} ${token} ${stranger}`,
      faults: [
        {
          kind: 'status' as const,
          status: 500,
          error: { message: `no such key: ${key}`, type: `x ${say.base64}` },
        },
      ],
    },
  ],
}

const config = (baseUrl: string) => `
accounts: { openai: { base_url: "${baseUrl}", key: { env: PROVIDER_KEY } } }
lanes:
  chat: { account: openai, model: small, env: { SHOP_TOKEN: { env: PLANTED_TOKEN } }, grants: [comment] }
  shell: { uses: command, env: { SHOP_TOKEN: { env: PLANTED_TOKEN } } }
`

test('C114 C122: what a worker, a model and a provider say of the secrets of a yard is found in nothing that is kept or told', async () => {
  await using yard = makeYardHome()
  const calls: RecordedCall[] = []
  const provider = await startRehearsalServer({
    scenario: { model: 'small', key, plays: [play] },
    port: 0,
    onCall: (call) => void calls.push(call),
  })
  try {
    const repo = makeRepository(yard)
    const file = join(yard.folder, 'yardmaster.yaml')
    writeFileSync(file, config(provider.baseUrl))
    const parsed = parseConfig({ text: readFileSync(file, 'utf8'), file, cores: 4 })
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults))
    const env = { PATH: process.env.PATH, HOME: yard.folder, PROVIDER_KEY: key, PLANTED_TOKEN: token }
    const self = [process.execPath, resolve('dist/bin.cjs')]
    const hub = await yard.start({ config: parsed.config, env, self })
    const { client } = hub
    writeFileSync(join(yard.folder, 'say.sh'), `echo "$SHOP_TOKEN" ${quote(all)} ${stranger} >&2; exit 1\n`)
    writeFileSync(
      join(yard.folder, 'night.yaml'),
      JSON.stringify({
        name: 'night',
        defaults: { attempts: 1 },
        tasks: {
          agent: { prompt: 'Say it all.', lane: 'chat', workspace: { repo } },
          shell: { run: ['bash', join(yard.folder, 'say.sh')], lane: 'shell', workspace: 'scratch' },
        },
      }),
    )
    const cli = await run(self, ['run', join(yard.folder, 'night.yaml'), '--report', join(yard.folder, 'out')], yard)
    await seen(client, ({ kind }) => kind === 'batch.ended')
    const agent = await client.task(1)
    expect([agent.status, cli.code]).toEqual(['done', 3])
    // What the model was told of AGENTS.md it was told without the key.
    const prompt = readFileSync(join(yard.home, 'runs', '0', 'R1', 'prompt.md'), 'utf8')
    expect(prompt).toContain('# AGENTS.md of the workspace')
    expect(calls.length).toBeGreaterThan(5)
    const transcript = readFileSync(join(yard.home, 'runs', '0', 'R1', 'transcript.jsonl'), 'utf8')
    expect(transcript).toContain('as it should be')
    expect(transcript).toContain('out of sight\\nout of sight') // neither its worker nor the shim around that

    const told = await askEverything(hub.port, readFileSync(join(yard.home, 'token'), 'utf8').trim())
    const found = [
      ...look('the words of the command line', cli.text),
      ...Object.entries(told).flatMap(([route, text]) => look(`GET ${route}`, text)),
      ...look('log -f', (await run(self, ['log', 'T1'], yard)).text),
      ...look('show', (await run(self, ['show', 'T1'], yard)).text),
      ...look('doctor', (await run(self, ['doctor'], yard)).text),
      ...look('export', (await run(self, ['export'], yard)).text),
      ...filesBelow(join(yard.folder, 'out'))
        .filter((path) => !path.endsWith('.patch'))
        .flatMap((path) => lookInFile(yard.folder, path)),
    ]
    await hub.stop({ workers: 'end' })
    const kept = filesBelow(yard.home).filter((path) => !isRaw(relative(yard.home, path)))
    expect(kept.length).toBeGreaterThan(10)
    expect([...found, ...kept.flatMap((path) => lookInFile(yard.home, path)), ...lookInStore(yard.home)]).toEqual([])
    for (const path of filesBelow(join(yard.home, 'runs'))) {
      expect([path, (statSync(path).mode & 0o777).toString(8)]).toEqual([path, '600'])
    }
  } finally {
    await provider.stop()
  }
})

/** The raw log of an attempt, and what the work itself made: its folder, its history, and the patch, which git is to take as it is. */
const isRaw = (path: string): boolean =>
  /(^|\/)(output\.log|changes\.diff)$/.test(path) || /^(workspaces|mirrors|attachments)\//.test(path)

function makeRepository({ folder }: YardHome): string {
  const repo = join(folder, 'repo')
  mkdirSync(repo)
  writeFileSync(join(repo, 'AGENTS.md'), `The key is ${key}.\n`)
  const who = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...who, 'commit', '-qm', 'begin'],
  ]) {
    execFileSync('git', args, { cwd: repo })
  }
  return repo
}

/** Everything that a reader may ask, by the table of the contract: a route that is new there has to be asked here. */
async function askEverything(port: number, pass: string) {
  const text = readFileSync('src/api/contract/routes.ts', 'utf8')
  const routes = [...text.matchAll(/^ \* +GET +(\/[^\s?]*)/gm)].map(([, path = '']) => path)
  const endless: Readonly<Record<string, string>> = { '/events': 'the same as /events/page' }
  const raw: Readonly<Record<string, string>> = {
    '/runs/:id/patch': 'the work itself',
    '/attachments/:id': 'files that people and workers gave',
  }
  expect(routes.length).toBeGreaterThan(15)
  const told: Record<string, string> = {}
  for (const route of routes.filter((one) => !(one in endless) && !(one in raw))) {
    for (const id of [1, 2]) {
      const path = route.replace(':id', `${id}`).replace(':ref', '1')
      const query = route === '/export' ? '?board=main' : route === '/events/page' ? '?after=0&limit=1000' : ''
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}${query}`, {
        headers: { authorization: `Bearer ${pass}` },
      })
      expect([path, response.status]).toEqual([path, route === '/health/live' ? 204 : 200])
      told[path] = await response.text()
    }
  }
  return told
}

function look(where: string, text: string): readonly string[] {
  const forms = [...encodingsOf(key), ...encodingsOf(token), stranger].filter((form) => form.length >= 12)
  return forms.filter((form) => text.includes(form)).map((form) => `${where}: ${form}`)
}

const lookInFile = (root: string, path: string): readonly string[] => [
  ...look(`the name of ${relative(root, path)}`, path),
  ...look(relative(root, path), readFileSync(path, 'latin1')),
  ...look(relative(root, path), readFileSync(path, 'utf8')),
]

function lookInStore(home: string): readonly string[] {
  using store = closing(new Database(join(home, 'yard.db'), { readonly: true }))
  const tables = store.db.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[]
  return tables.flatMap((table) =>
    store.db
      .prepare(`select * from "${table}"`)
      .all()
      .flatMap((row) =>
        look(
          `a row of ${table}`,
          Object.values(row as object)
            .map(String)
            .join('\n'),
        ),
      ),
  )
}

const closing = (db: Database.Database) => ({ db, [Symbol.dispose]: () => void db.close() })

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

async function run([program = '', ...first]: readonly string[], args: readonly string[], yard: YardHome) {
  const child = spawn(program, [...first, ...args], {
    cwd: yard.folder,
    env: { PATH: process.env.PATH, HOME: yard.folder, YARDMASTER_HOME: yard.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part
    })
  }
  const [code] = await once(child, 'close')
  return { code, text }
}
