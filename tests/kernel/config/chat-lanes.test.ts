import { describe, expect, test } from 'vitest'
import { configError, parseConfig } from '../../../src/kernel/config/index.ts'

const file = '/yard/yardmaster.yaml'

function faultsOf(text: string): string[] {
  const parsed = parseConfig({ text, file, cores: 8 })
  return parsed.ok ? [] : parsed.faults.map(({ path, says, fix }) => `${path} ${says}: ${fix}`)
}

function configOf(text: string) {
  const parsed = parseConfig({ text, file, cores: 8 })
  if (!parsed.ok) throw configError('CONFIG_INVALID', { file, faults: parsed.faults })
  return parsed.config
}

const chat = (fields: string) => `lanes: { chat: { model: m, ${fields} } }`
const key = `sk-${'a1B2c3D4'.repeat(4)}`

test('a lane of our own agent says all that its worker is told', () => {
  const config = configOf(`
accounts:
  local:
    base_url: http://127.0.0.1:8080/v1
    prices: { big: { in: 0.5, out: 4, cached: 0.05 }, small: { in: 0, out: 0 } }
lanes:
  chat:
    account: local
    model: [big, small]
    system: prompts/house.md
    tools: [read, search, complete]
    turns: 40
    timeouts: { first_byte: 20s, first_event: 1m, idle: 90s, call: 5m }
    budget: { tokens: 1.5M, usd: 2 }
    temperature: 0.2
    reasoning: low
    output_tokens: 8k
    context_tokens: 128000
    headers: { X-Team: shop }
    api: responses
    sandbox: bwrap
    denied_commands: ["git push*", reboot]
    approval_commands: ["npm publish*"]
    heartbeat: 5m
    transcript: off
    grants: [create, link, create]
    agents_may_start: true
    env: { CI: "1", TOKEN: { env: SHOP_TOKEN }, PEM: { file: secrets/pem } }
boards: { shop: { budget: { usd: off } } }
`)
  expect(config.accounts.local?.prices).toEqual({
    big: { in: 0.5, out: 4, cached: 0.05 },
    small: { in: 0, out: 0 },
  })
  expect(config.boards.shop?.budget).toEqual({ budgetUsd: 'off' })
  expect(config.lanes.chat).toMatchObject({
    model: 'big',
    system: '/yard/prompts/house.md',
    budget: { budgetTokens: 1_500_000, budgetUsd: 2 },
    env: { CI: '1' },
    secretEnv: { TOKEN: { env: 'SHOP_TOKEN' }, PEM: { file: '/yard/secrets/pem' } },
    chat: {
      fallbacks: ['small'],
      tools: ['read', 'search', 'complete'],
      toolsOff: [],
      turns: 40,
      timeouts: { firstByteMs: 20_000, firstEventMs: 60_000, idleMs: 90_000, callMs: 300_000 },
      temperature: 0.2,
      reasoning: 'low',
      outputTokens: 8_000,
      contextTokens: 128_000,
      headers: { 'X-Team': 'shop' },
      api: 'responses',
      sandbox: 'bwrap',
      deniedCommands: ['git push*', 'reboot'],
      approvalCommands: ['npm publish*'],
      heartbeatMs: 300_000,
      transcript: 'off',
      grants: ['create', 'link'],
      agentsMayStart: true,
    },
  })
})

describe('what is refused, in words', () => {
  test.each([
    ['tools: [raed]', 'lanes.chat.tools[0]', 'did you mean read?'],
    ['tools: [read], tools_off: [read]', 'lanes.chat.tools_off[0] (read) stands in tools, too', 'keep one of them'],
    ['turns: 0', 'lanes.chat.turns must be a whole number from 1 to 10000, not 0', ''],
    ['timeouts: { idle: 0s }', 'lanes.chat.timeouts.idle must be a duration', ''],
    ['timeouts: { idle: true }', 'lanes.chat.timeouts.idle must be a duration', ''],
    ['timeouts: { idle: -5s }', 'lanes.chat.timeouts.idle must be a duration', ''],
    ['timeouts: { idle: .inf }', 'lanes.chat.timeouts.idle must be a duration', ''],
    ['timeouts: { idle: 25h }', 'lanes.chat.timeouts.idle (25h) is longer than a day', 'lower it'],
    ['timeouts: { idle: 10m, call: 5m }', 'lanes.chat.timeouts.idle (10m) is longer than call (5m)', 'raise call'],
    [
      'timeout: 1m, timeouts: { call: 5m }',
      'lanes.chat.timeouts.call (5m) is longer than timeout (1m)',
      'raise timeout',
    ],
    ['timeouts: { first_bite: 5s }', 'lanes.chat.timeouts.first_bite is not known', 'did you mean first_byte?'],
    ['temperature: 3', 'lanes.chat.temperature must be a number from 0 to 2, not 3', ''],
    ['reasoning: hihg', 'lanes.chat.reasoning', 'did you mean high?'],
    ['api: respones', 'lanes.chat.api', 'did you mean responses?'],
    ['sandbox: bwarp', 'lanes.chat.sandbox', 'did you mean bwrap?'],
    ['heartbeat: 30s', 'lanes.chat.heartbeat (30s) is less than a minute', '1m or more, or off'],
    ['heartbeat: 0', 'lanes.chat.heartbeat must be', ''],
    ['denied_commands: git push', 'lanes.chat.denied_commands must be a list', ''],
    ['denied_commands: ["  "]', 'lanes.chat.denied_commands[0] must be', ''],
    ['grants: [creat]', 'lanes.chat.grants[0]', 'did you mean create?'],
    [
      'grants: [any_lane]',
      'lanes.chat.grants (any_lane) is about tasks that its agents make',
      'grants: [create, any_lane]',
    ],
    ['agents_may_start: true', 'lanes.chat.agents_may_start is about cards that its agents make', 'grants: [create]'],
    ['output_tokens: 1.0001k', 'lanes.chat.output_tokens (1.0001k) is no whole number', '5M'],
    ['output_tokens: 8k, context_tokens: 8k', 'lanes.chat.output_tokens (8k) leaves no room', 'raise context_tokens'],
    ['budget: { tokens: 0 }', 'lanes.chat.budget.tokens must be', ''],
    [
      'budget: { usd: 2 }',
      'lanes.chat.budget.usd limits US dollars, and no price is known for m',
      'accounts.openai.prices',
    ],
    ['headers: { Authorization: x }', 'lanes.chat.headers.Authorization is a credential', "use the account's key"],
    ['headers: { X-Api-Key: x }', 'lanes.chat.headers.X-Api-Key is a credential', "use the account's key"],
    ['headers: { X-Session-Token: x }', 'lanes.chat.headers.X-Session-Token is a credential', "use the account's key"],
    [`headers: { X-Team: ${key} }`, 'lanes.chat.headers.X-Team is a credential', "use the account's key"],
    ['headers: { X-Who: "Bearer abc" }', 'lanes.chat.headers.X-Who is a credential', "use the account's key"],
    ['headers: { Host: x }', 'lanes.chat.headers.Host is set by the client itself', 'take it out'],
    ['headers: { X-A: "1", x-a: "2" }', 'lanes.chat.headers.x-a stands there twice', 'keep one of them'],
    ['headers: { "X A": x }', 'lanes.chat.headers["X A"] is no name that may stand here', ''],
    ['headers: { X-A: "a\\nb" }', 'lanes.chat.headers.X-A must be text on one line', ''],
  ])('%s', (fields, says, fix) => {
    const [fault = '', ...more] = faultsOf(chat(fields))
    expect(fault).toContain(says)
    expect(fault).toContain(fix)
    expect(fault).not.toContain(key)
    expect(more).toEqual([])
  })

  test.each([
    'turns: 3',
    'tools: [read]',
    'headers: { X-A: b }',
    'grants: [create]',
    'budget: { tokens: 1M }',
    'api: responses',
  ])('a lane that runs a command knows nothing of it: %s', (field) => {
    expect(faultsOf(`lanes: { l: { uses: command, ${field} } }`)).toEqual([
      expect.stringContaining('belongs to lanes with uses: chat'),
    ])
  })

  test('a list of models that is empty, or names one twice', () => {
    expect(faultsOf('lanes: { chat: { model: [] } }')).toEqual([expect.stringContaining('lanes.chat.model is empty')])
    expect(faultsOf('lanes: { chat: { model: [a, b, a] } }')).toEqual([
      'lanes.chat.model[2] (a) stands there twice: keep one of them',
    ])
  })

  test('a secret that stands in a variable is never repeated', () => {
    const faults = faultsOf(`lanes: { chat: { model: m, env: { TOKEN: { value: ${key} } } } }`)
    expect(faults).toHaveLength(1)
    expect(faults.join()).not.toContain(key)
  })

  test('a price of half a model, a negative one, and one in words', () => {
    expect(
      faultsOf('accounts: { a: { prices: { m: { in: 1 }, n: { in: -1, out: 1 }, o: { in: cheap, out: 1 } } } }'),
    ).toEqual([
      expect.stringContaining('accounts.a.prices.m has no out'),
      expect.stringContaining('accounts.a.prices.n.in must be a number from 0'),
      expect.stringContaining('accounts.a.prices.o.in must be a number from 0'),
    ])
  })
})

test('a budget in US dollars is kept where every model of the lane has its price', () => {
  const lanes = 'lanes: { chat: { account: a, model: [m, n], budget: { usd: 2 } } }'
  expect(faultsOf(`accounts: { a: { prices: { m: { in: 1, out: 2 }, n: { in: 1, out: 2 } } } }\n${lanes}`)).toEqual([])
  expect(faultsOf(`accounts: { a: { prices: { m: { in: 1, out: 2 } } } }\n${lanes}`)[0]).toContain('known for n:')
})
