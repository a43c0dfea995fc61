// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of ours look like it
// biome-ignore-all lint/suspicious/noThenProperty: the public field name
import { describe, expect, test } from 'vitest'
import { configError, emptyConfig, parseConfig } from '../../../src/kernel/config/index.ts'

const file = '/yard/yardmaster.yaml'
const parse = (text: string) => parseConfig({ text, file, cores: 8 })

function faultsOf(text: string): string[] {
  const parsed = parse(text)
  return parsed.ok ? [] : parsed.faults.map(({ line, path, says, fix }) => `${line}: ${path} ${says}: ${fix}`)
}

function configOf(text: string) {
  const parsed = parse(text)
  if (!parsed.ok) throw configError('CONFIG_INVALID', { file, faults: parsed.faults })
  return parsed.config
}

describe('what a working yard is', () => {
  test('an empty file, a file of comments and no file at all are the same working yard', () => {
    const bare = { ...emptyConfig(8), file }
    expect(configOf('')).toEqual(bare)
    expect(configOf('# nothing yet\n')).toEqual(bare)
    expect(bare).toMatchObject({ slots: 4, lanes: { chat: { uses: 'chat' }, command: { uses: 'command' } } })
  })

  test.each([
    [1, 1],
    [2, 1],
    [6, 3],
    [64, 8],
  ])('C129: on %i cores a fresh yard works on %i tasks at once', (cores, slots) => {
    expect(emptyConfig(cores).slots).toBe(slots)
  })

  test('every field of this version is read, paths from the folder of the file', () => {
    const config = configOf(`
slots: 3
accounts:
  local: { base_url: "http://127.0.0.1:8080/v1", key: { file: secrets/key }, slots: 2 }
lanes:
  chat: { uses: chat, account: local, model: small, system: prompts/house.md, timeout: 10m, stall: off, grace: 2s }
  ours:
    uses: command
    command: [bin/agent, --file, "\${{ task.prompt_file }}"]
    pass_env: [JAVA_HOME, "NODE_*"]
    env: { CI: "1" }
    sysexits: true
    exits: [{ code: 75, then: later }, { code: [2, 5], then: block, why: bad }, { output: quota, then: fail }]
boards: { shop: { lane: ours } }
`)
    expect(config).toMatchObject({
      file,
      slots: 3,
      accounts: {
        local: { baseUrl: 'http://127.0.0.1:8080/v1', key: { file: '/yard/secrets/key' }, slots: 2 },
        openai: { key: { env: 'OPENAI_API_KEY' } },
      },
      lanes: {
        chat: { system: '/yard/prompts/house.md', timeoutMs: 600_000, stallMs: 'off', graceMs: 2_000 },
        command: { uses: 'command' },
        ours: {
          command: ['/yard/bin/agent', '--file', '${{ task.prompt_file }}'],
          passEnv: ['JAVA_HOME', 'NODE_*'],
          sysexits: true,
          exits: [
            { code: [75], then: 'later' },
            { code: [2, 5], then: 'block', why: 'bad' },
            { output: 'quota', then: 'fail' },
          ],
        },
      },
      boards: { shop: { lane: 'ours' } },
    })
    expect(Object.isFrozen(config.lanes.ours?.exits)).toBe(true)
  })
})

describe('what is refused', () => {
  test('a key that stands twice does not hide the other faults', () => {
    expect(faultsOf('slots: 1\nslots: 2\nlanse: {}\n')).toEqual([
      expect.stringContaining('has the key slots again, which is on line 1 already'),
      '3: lanse is not known: did you mean lanes?',
    ])
  })

  test('all faults of a file are named at once, each with its line', () => {
    expect(
      faultsOf(`slots: 0
accounts:
  main: { base_url: ftp://x }
lanes:
  chat: { uses: chat, account: mian, modle: m }
  tests: { uses: command, timeout: 20 }
boards: { shop: { lane: test } }
`),
    ).toEqual([
      '1: slots must be a whole number from 1 to 1000, not 0: change it',
      '3: accounts.main.base_url must be an http or https address, not "ftp://x": change it',
      '5: lanes.chat.modle is not known: did you mean model?',
      '6: lanes.tests.timeout must be a duration such as 30s, 20m or 5h, longer than nothing, not 20: change it',
      '5: lanes.chat.account names no account: mian: did you mean main?',
      "5: lanes.chat uses chat and has no model: write model: with a name that the account's server knows",
      '7: boards.shop.lane names no lane: test: did you mean tests?',
    ])
  })

  test.each(['https://ann:hunter22@host/v1', 'https://ann@host/v1', 'https://host/v1?api_key=hunter22'])(
    'a credential in an address would be stored with every attempt: %s',
    (address) => {
      const [fault, ...others] = faultsOf(`accounts: { a: { base_url: "${address}" } }`)
      expect(fault).toBe('1: accounts.a.base_url holds a credential, which would be stored: say it as key')
      expect(others).toEqual([])
    },
  )

  test.each([
    ['slot: 2', 'slot is not known: did you mean slots?'],
    ['lanes: { tests: { uses: command, time_out: 1m } }', 'lanes.tests.time_out is not known: did you mean timeout?'],
    ['zzz: 1', 'zzz is not known: known here: slots, keep, disk_free, accounts, lanes, boards'],
  ])('C129: a key that does not exist is refused with the nearest that does: %s', (text, says) => {
    expect(faultsOf(text)).toEqual([`1: ${says}`])
  })

  test.each([
    ['pools: { db: 1 }', 'pools is not available yet'],
    ['accounts: { a: { budget: { usd: 2 } } }', 'accounts.a.budget is not available yet'],
    ['lanes: { l: { uses: claude } }', 'lanes.l.uses says claude, which is not available yet'],
    ['lanes: { l: { uses: command, sandbox: bwrap } }', 'lanes.l.sandbox is not available yet for commands'],
    ['lanes: { l: { uses: command, check: npm test } }', 'lanes.l.check is not available yet'],
  ])('what a later version brings is refused by name, never ignored: %s', (text, says) => {
    expect(faultsOf(text)[0]).toBe(`1: ${says}: take it out; a later version brings it`)
  })

  test('a lane limits memory by a size with its unit, or not at all', () => {
    const memoryOf = (text: string) => configOf(`lanes: { l: { uses: command, memory: ${text} } }`).lanes.l?.memoryBytes
    expect([memoryOf('4GiB'), memoryOf('1.5GB'), memoryOf('off')]).toEqual([4 * 2 ** 30, 1_500_000_000, 'off'])
    expect(configOf('').lanes.command?.memoryBytes).toBeNull()
  })

  test.each([
    ['4', 'must be a size such as 5GiB or 512MB, more than nothing, or off, not 4: change it'],
    ['4G', 'must be a size such as 5GiB or 512MB, more than nothing, or off, not "4G": change it'],
    ['0GiB', 'must be a size such as 5GiB or 512MB, more than nothing, or off, not "0GiB": change it'],
    ['1MiB', '(1MiB) is less than 8 MiB: no program could start: raise it, or take it out'],
  ])('a limit of memory that is no size, or one in which nothing runs, is refused: %s', (text, says) => {
    expect(faultsOf(`lanes: { l: { uses: command, memory: ${text} } }`)).toEqual([`1: lanes.l.memory ${says}`])
  })

  test.each([
    ['lanes: { l: { uses: command, timeout: 999999999d } }', 'lanes.l.timeout (999999999d)'],
    ['lanes: { l: { uses: command, memory: 99999999999TiB } }', 'lanes.l.memory (99999999999TiB)'],
  ])('an amount of a lane beyond counting is refused, and never taken for the built-in one: %s', (text, says) => {
    expect(faultsOf(text)).toEqual([`1: ${says} is more than can be counted: write less`])
  })

  test('a lane says how much of a log is kept, and who writes it', () => {
    const laneOf = (text: string) => configOf(`lanes: { l: { uses: command, ${text} } }`).lanes.l
    expect(laneOf('log_limit: 20MiB, log: piped')).toMatchObject({ logBytes: 20 * 2 ** 20, log: 'piped' })
    expect(laneOf('slots: 1')).toMatchObject({ logBytes: null, log: 'file' })
  })

  test.each([
    ['log_limit: 20M', 'log_limit must be a size such as 5GiB or 512MB, more than nothing, not "20M": change it'],
    [
      'log_limit: 100KiB',
      'log_limit (100KiB) is less than 256 KiB: the last words of an attempt would not be kept: raise it, or take it out',
    ],
    ['log: pipe', 'log must be file | piped, not "pipe": did you mean piped?'],
  ])('a log that cannot be kept so is refused: %s', (text, says) => {
    expect(faultsOf(`lanes: { l: { uses: command, ${text} } }`)).toEqual([`1: lanes.l.${says}`])
  })

  test('what is done is kept for 3 days and what failed for 30, unless the file says otherwise', () => {
    const day = 86_400_000
    expect(configOf('').keep).toEqual({ doneMs: 3 * day, failedMs: 30 * day })
    expect(configOf('keep: { done: 12h }').keep).toEqual({ doneMs: day / 2, failedMs: 30 * day })
    expect(configOf('keep: { done: 999999999d }').keep.doneMs).toBe('forever')
    expect(configOf('keep: { done: 1d12h, failed: forever }').keep).toEqual({ doneMs: 1.5 * day, failedMs: 'forever' })
  })

  test.each(['-1', '0', '0d', '""', 'abc', '-3d', 'null', '3', '1e9d', '99999999999d'])(
    'C107: keep: { done: %s } is refused, because no reading of it may delete everything',
    (written) => {
      const [fault, ...others] = faultsOf(`keep: { done: ${written} }`)
      expect(others).toEqual([])
      expect(fault).toMatch(/^1: keep\.done must be a duration such as 3d or 12h, or forever; never 0, not /)
      expect(faultsOf(`keep: { failed: ${written} }`)).toHaveLength(1)
    },
  )

  test('the room that new work needs on the disk is a size with its unit', () => {
    expect(configOf('').diskFreeBytes).toBeNull()
    expect(configOf('disk_free: 5GiB').diskFreeBytes).toBe(5 * 2 ** 30)
    for (const written of ['0GiB', '5', '5G', '-1GiB', 'lots', '""']) {
      expect(faultsOf(`disk_free: ${written}`)[0]).toMatch(/^1: disk_free must be a size such as 5GiB or 512MB/)
    }
  })

  test.each([
    ['lanes: { l: { command: [x] } }', 'lanes.l does not say what it uses'],
    ['lanes: { chat: { model: m, command: [x] } }', 'lanes.chat.command belongs to lanes with uses: command'],
    ['lanes: { l: { uses: command, model: m } }', 'lanes.l.model belongs to lanes with uses: chat'],
    ['accounts: { a: {} }\nlanes: { chat: { model: m } }', 'lanes.chat uses chat and does not say whose account'],
    ['lanes: { l: { uses: command, exits: [{ code: 1, then: wall }] } }', 'lanes.l.exits[0].then says wall'],
    ['lanes: { l: { uses: command, exits: [{ then: fail }] } }', 'lanes.l.exits[0] has neither code nor output'],
    ['lanes: { l: { uses: command, exits: [{ code: 1, output: x, then: fail }] } }', 'has both code and output'],
    [
      'lanes: { l: { uses: command, timeout: 5s, grace: 10s } }',
      'lanes.l.grace (10s) is not shorter than timeout (5s)',
    ],
    ['lanes: { l: { uses: command, command: [x, "${{ task.prompt }}"] } }', 'did you mean task.prompt_file?'],
    ['lanes: { Big Name: { uses: command } }', 'lanes["Big Name"] is no name that may stand here'],
  ])('fields that contradict each other are refused: %s', (text, says) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(says)])
  })

  test.each([
    'lanes: { l: { uses: command, env: { A: "x\\0y" } } }',
    'lanes: { l: { uses: command, command: ["x\\0y"] } }',
    'lanes: { chat: { model: "x\\0y" } }',
    'lanes: { chat: { model: m, system: "x\\0y" } }',
    'accounts: { a: { key: { file: "x\\0y" } } }',
    'accounts: { a: { key: { command: ["x\\0y"] } } }',
  ])('a NUL byte, at which the system ends what it is given, is refused: %s', (text) => {
    expect(faultsOf(text)).toHaveLength(1)
  })

  test('the account openai keeps its key where only something else of it is written, but for another server', () => {
    const keyOf = (account: string) => configOf(`accounts: { openai: ${account} }`).accounts.openai?.key
    expect(keyOf('{ slots: 2 }')).toEqual({ env: 'OPENAI_API_KEY' })
    expect(keyOf('{ key: none }')).toBe('none')
    expect(keyOf('{ base_url: "http://127.0.0.1:1/v1" }')).toBe('none')
    expect(configOf('accounts: { other: { slots: 2 } }').accounts.other?.key).toBe('none')
  })

  test('a lane called chat that does not repeat what it uses may hold the account that it has unwritten', () => {
    expect(configOf('lanes: { chat: { model: m, exits: [{ code: 5, then: wall }] } }').lanes.chat).toMatchObject({
      account: 'openai',
      exits: [{ code: [5], then: 'wall' }],
    })
  })

  test('a key that was written out instead of referred to is refused without being repeated', () => {
    const [fault] = faultsOf('accounts: { openai: { key: sk-very-secret-0123456789 } }')
    expect(fault).toContain('accounts.openai.key must be none, or a map with env')
    expect(fault).not.toContain('sk-very')
  })

  test.each([
    ['slots: [1', 'is not YAML'],
    ['a: 1\n\tb: 2', 'is not YAML'],
    ['slots: 1\nslots: 2', 'has the key slots again, which is on line 1 already'],
    ['just some words', 'must be a map with slots, keep, disk_free, accounts, lanes, boards, not "just some words"'],
    ['- 1\n- 2', 'must be a map with slots, keep, disk_free, accounts, lanes, boards, not a list'],
  ])('a file that is not YAML, or no map, is refused with its line: %j', (text, says) => {
    expect(faultsOf(text)[0]).toMatch(/^\d+: /)
    expect(faultsOf(text)[0]).toContain(says)
  })

  test('a file that grows without bound through aliases is refused instead of filling the memory', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]', 'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]']
    bomb.push('c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]', 'd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]')
    expect(faultsOf(bomb.join('\n'))[0]).toContain('cannot be read')
  })
})
