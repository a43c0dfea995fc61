import { describe, expect, test } from 'vitest'
import type { ChatSettings } from '../../../src/runs/index.ts'
import { parseChatSettings } from '../../../src/runs/index.ts'
import { parseArguments } from '../../../src/worker/chat/parse-arguments.ts'
import { resolveSettings } from '../../../src/worker/chat/resolve-settings.ts'

function settingsOf(given: Partial<ChatSettings>): ChatSettings {
  const parsed = parseChatSettings(JSON.stringify({ schema: 1, models: ['big'], baseUrl: 'http://lane/v1', ...given }))
  if (!parsed.ok) throw new Error(parsed.faults.join())
  return parsed.settings
}

function resolved(args: readonly string[], given?: Partial<ChatSettings>, personsBaseUrl?: string) {
  const parsed = parseArguments(args)
  if (parsed.kind === 'help') throw new Error('help')
  const settings = given === undefined ? undefined : settingsOf(given)
  return resolveSettings({ written: parsed.written, faults: parsed.faults, settings, personsBaseUrl })
}

function optionsOf(...input: Parameters<typeof resolved>) {
  const answer = resolved(...input)
  if (!answer.ok) throw new Error(answer.faults.join('; '))
  return answer.options
}

const faultsOf = (...args: readonly string[]) => {
  const answer = resolved(['-q', 'hi', '--model', 'm', ...args])
  return answer.ok ? [] : answer.faults
}

describe('what holds', () => {
  test('is what the line says, else the settings, else a person’s own server, else built in', () => {
    const given = { temperature: 0.2, reasoning: 'low', maxTurns: 7, tools: ['read'], toolsOff: ['terminal'] } as const
    const lane = optionsOf(['-q', 'hi'], given)
    expect(lane).toMatchObject({ models: ['big'], baseUrl: 'http://lane/v1', maxTurns: 7, tools: ['read'] })
    expect(lane.settings).toEqual({ temperature: 0.2, reasoning: 'low', maxOutputTokens: null })

    const line = [
      '-q',
      'hi',
      '--model',
      'a',
      '--model',
      'b',
      '--temperature',
      '0',
      '--max-turns',
      '3',
      '--tools',
      'search',
    ]
    expect(optionsOf(line, given)).toMatchObject({
      models: ['a', 'b'],
      maxTurns: 3,
      tools: ['search'],
      toolsOff: ['terminal'],
      settings: { temperature: 0, reasoning: 'low' },
    })
    expect(optionsOf(['-q', 'hi', '--model', 'm'], undefined, 'http://own/v1').baseUrl).toBe('http://own/v1')
    expect(optionsOf(['-q', 'hi', '--model', 'm'])).toMatchObject({
      baseUrl: 'https://api.openai.com/v1',
      api: 'chat_completions',
      sandbox: 'none',
      maxTurns: 90,
      tools: null,
      runMs: null,
      transcriptFile: null,
    })
  })

  test('of tokens, 5 million where nobody says it; where a lane says off, no limit at all', () => {
    const tokensOf = (...input: Parameters<typeof resolved>) => optionsOf(...input).budget.tokens
    expect(tokensOf(['-q', 'hi', '--model', 'm'])).toBe(5_000_000)
    expect(tokensOf(['-q', 'hi'], {})).toBe(5_000_000)
    expect(tokensOf(['-q', 'hi'], { budget: { tokens: null, usd: null } })).toBeNull()
    expect(tokensOf(['-q', 'hi', '--token-budget', '7'], { budget: { tokens: null, usd: null } })).toBe(7)
  })

  test('is frozen to its depth', () => {
    const options = optionsOf(['-q', 'hi', '--model', 'm', '--header', 'X-Team=night'])
    expect(options.headers).toEqual({ 'X-Team': 'night' })
    expect(Object.isFrozen(options) && Object.isFrozen(options.headers) && Object.isFrozen(options.limits)).toBe(true)
  })

  test('watchdogs that nobody names go by the size of the conversation', () => {
    const timeouts = { firstByteMs: 5_000, firstEventMs: null, idleMs: null, callMs: 60_000 }
    expect(optionsOf(['-q', 'hi', '--first-event-timeout', '7s'], { timeouts }).limits).toEqual({
      firstByteMs: 5_000,
      firstEventMs: 7_000,
      idleMs: null,
      wholeCallMs: 60_000,
    })
  })

  test('a worker of a board keeps a transcript beside its report, unless its lane keeps none', () => {
    const board = ['-q', 'hi', '--report', '/runs/R981/report.json', '--run', 'R981', '--fence', '7']
    expect(optionsOf(board, {}).transcriptFile).toBe('/runs/R981/transcript.jsonl')
    expect(optionsOf(board, { transcript: 'off' }).transcriptFile).toBeNull()
    expect(optionsOf(['-q', 'hi'], {}).transcriptFile).toBeNull()
  })

  test('amounts of tokens may be written short', () => {
    const args = [
      '-q',
      'hi',
      '--model',
      'm',
      '--token-budget',
      '2.5M',
      '--context-tokens',
      '128k',
      '--output-tokens',
      '4096',
    ]
    expect(optionsOf(args)).toMatchObject({
      budget: { tokens: 2_500_000, usd: null },
      contextTokens: 128_000,
      settings: { maxOutputTokens: 4_096 },
    })
  })
})

describe('what is refused', () => {
  test.each([
    [['--idle-timeout', '0s'], '--idle-timeout 0s is out of range: 1ms to 24h'],
    [['--idle-timeout=-5s'], '--idle-timeout must be a duration such as 30s, not -5s'],
    [['--first-event-timeout', 'Infinity'], '--first-event-timeout must be a duration such as 30s, not Infinity'],
    [['--call-timeout', 'true'], '--call-timeout must be a duration such as 30s, not true'],
    [['--run-timeout', '90000000h'], '--run-timeout 90000000h is out of range: 1ms to 24h'],
    [['--temperature', '3'], '--temperature 3 is out of range: 0 to 2'],
    [['--temperature', 'hot'], '--temperature must be a number such as 0.7, not hot'],
    [['--token-budget', '1.5'], '--token-budget must be a number of tokens such as 200k or 2M, not 1.5'],
    [['--usd-budget', '0'], '--usd-budget 0 is out of range: 0.000001 to 1000000'],
    [['--api', 'assistants'], '--api must be one of chat_completions, responses, not assistants'],
    [['--reasoning', ''], '--reasoning must be one of minimal, low, medium, high, not '],
    [['--sandbox', 'docker'], '--sandbox must be one of none, bwrap, bwrap_offline, not docker'],
    [['--tools', 'read, rm -rf'], '--tools must be names such as read,search, or none, not read, rm -rf'],
    [['--header', 'nothing'], '--header nothing is not NAME=VALUE in plain characters'],
    [['--header', 'Authorization=Bearer x'], '--header Authorization would show a secret'],
    [['--output-schema', ''], '--output-schema is empty'],
    [['--json=yes'], '--json takes no value'],
    [['--lane', 'a', '--settings', 'b'], '--lane and --settings both say everything: leave one out'],
    [['--usd-budget', '2'], 'a budget in USD needs prices, and none is known of m'],
    [['--tool', 'read'], '--tool is not known: did you mean --tools?'],
    [['-x'], '-x is not known'],
    [['--model', ''], '--model is empty'],
    [['--base-url', ''], '--base-url is empty'],
    [['--system', '--json'], '--system needs FILE, and --json is a flag; --system=--json takes it as it is'],
    [['--transcript'], '--transcript needs FILE'],
    [['--base-url', 'http://ann:pass@host/v1'], '--base-url holds a credential'],
    [['--tools', 'read,serch'], 'there is no tool serch: did you mean search?'],
    [['--transcript', 'a', '--transcript', 'b'], '--transcript is given twice'],
  ])('%j', (args, says) => {
    expect(faultsOf(...args).join('\n')).toContain(says)
  })

  test('is all said at once', () => {
    expect(faultsOf('--sandbox', 'docker', '--idle-timeout', '0s', '--usd-budget', '1')).toHaveLength(3)
  })
})

test('a prompt that was a variable without a value is missed, and not taken from the next flag', () => {
  const answer = resolved(['-q', '--json', '--model', 'm'])
  expect(answer.ok ? [] : answer.faults).toContain(
    '--query needs TEXT, and --json is a flag; --query=--json takes it as it is',
  )
  expect(optionsOf(['-q', '--json is what?', '--model', 'm']).query).toBe('--json is what?')
  expect(optionsOf(['-q=--json', '--model', 'm']).query).toBe('--json')
  expect(optionsOf(['-q', '-', '--model', 'm']).query).toBe('-')
})

test('no tool at all can be asked for', () => {
  expect(optionsOf(['-q', 'hi', '--model', 'm', '--tools', 'none']).tools).toEqual([])
})
