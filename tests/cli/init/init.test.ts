import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { batchTemplateNames } from '../../../src/cli/init/batch-templates.ts'
import { startRehearsal } from '../../../src/main.ts'
import { openPlace, type Place } from '../run/a-place.ts'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(async () => {
  await place[Symbol.asyncDispose]()
})

describe('init', () => {
  test('says what cannot be made, and ends with 2', async () => {
    place.put('.yardmaster', 'a file')
    const { code, err } = await place.type(['init'])
    expect([code, err]).toEqual([
      2,
      `error: ${join(place.dir, '.yardmaster')} cannot be made: EEXIST: file already exists [CLI_BAD_USE]
  fix: move away what is there, or start in a folder that you may write to
`,
    ])
  })

  test('writes a working yard with schemas for editors, says what is ready and what is missing', async () => {
    const { code, out } = await place.type(['init'])
    expect(code).toBe(0)
    expect(out).toBe(`Wrote yardmaster.yaml, .yardmaster/config.schema.json, .yardmaster/batch.schema.json.
Lanes ready: command. Missing: chat (no model: write lanes.chat.model in yardmaster.yaml).
Next: yardmaster up -d && yardmaster add "say hello" -- echo hello
`)
    expect(place.read('yardmaster.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\/\.yardmaster\/config\.schema\.json\n/,
    )
    place.put('b.yaml', 'tasks: { a: { run: "true" } }')
    expect((await place.type(['run', 'b.yaml', '--dry-run'])).code).toBe(0)
  })

  test('takes what the environment says about a provider', async () => {
    const env = { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'm-1', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
    expect((await place.type(['init'], { env })).out).toContain(
      'Lanes ready: chat, command.\nNext: yardmaster up -d && yardmaster add "…"\n',
    )
    expect(place.read('yardmaster.yaml')).toContain('base_url: "http://127.0.0.1:9/v1"')
    expect(place.read('yardmaster.yaml')).not.toMatch(/\bk\b.*OPENAI_API_KEY.*'k'/)
  })

  test('overwrites nothing that a person wrote', async () => {
    place.put('yardmaster.yaml', 'slots: 3\n')
    place.put('.yardmaster/config.schema.json', '{"title":"mine"}')
    const { code, out } = await place.type(['init'])
    expect(code).toBe(0)
    expect(out).toContain('There already, left as they are: yardmaster.yaml, .yardmaster/config.schema.json.')
    expect(place.read('yardmaster.yaml')).toBe('slots: 3\n')
    expect(place.read('.yardmaster/config.schema.json')).toBe('{"title":"mine"}')
  })

  test('a second time changes nothing but schemas of an older version', async () => {
    await place.type(['init'])
    place.put('.yardmaster/batch.schema.json', '{"title":"Yardmaster batch","old":true}')
    await place.type(['init'])
    expect(place.read('.yardmaster/batch.schema.json')).not.toContain('"old"')
  })

  test('tells the faults of a file that is there', async () => {
    place.put('yardmaster.yaml', 'slotz: 3\n')
    expect(await place.type(['init'])).toMatchObject({ code: 2, err: expect.stringContaining('did you mean slots?') })
  })

  test('--batch with a name that is none is refused before anything is written', async () => {
    expect(await place.type(['init', '--batch', 'nigth'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('yardmaster init --batch night'),
    })
    expect(readdirSync(place.dir)).toEqual([])
  })
})

describe('init --batch', () => {
  test.each(batchTemplateNames)('%s is a file that is read without a fault', async (name) => {
    const { out } = await place.type(['init', '--batch', name])
    expect(out).toContain(`yardmaster run ${name}.yaml`)
    const dry = await place.type(['run', `${name}.yaml`, '--dry-run'])
    expect(dry).toMatchObject({ code: 0, err: '' })
    expect(dry.out).not.toContain('Warning')
    expect(place.read(`${name}.yaml`)).toMatch(/^# yaml-language-server: /)
  })

  test('where a yard is there already, says which lines it lacks', async () => {
    place.put('yardmaster.yaml', 'slots: 3\n')
    const { out } = await place.type(['init', '--batch', 'night'])
    expect(out).toContain('Add to yardmaster.yaml, which was there already:\n  below accounts:  rehearsal: {')
    const [account, lane] = [...out.matchAll(/below \w+: +(.*)/g)].map(([, part]) => part)
    place.put('yardmaster.yaml', `slots: 3\naccounts:\n  ${account}\nlanes:\n  ${lane}\n`)
    expect((await place.type(['init', '--batch', 'refactor'])).out).not.toContain('Add to')
    expect(await place.type(['run', 'night.yaml', '--dry-run'])).toMatchObject({ code: 0 })
  })

  test('a batch of commands asks for no provider and no lane of one', async () => {
    place.put('yardmaster.yaml', 'slots: 3\n')
    const { out } = await place.type(['init', '--batch', 'tests'])
    expect(out).not.toContain('rehearsal')
    expect(out).toContain('Next: yardmaster run tests.yaml\n')
  })

  test('its scenario is one that the rehearsal provider plays', async () => {
    await place.type(['init', '--batch', 'night'])
    const server = await startRehearsal({ file: join(place.dir, '.yardmaster/rehearsal.yaml'), port: 0 })
    await server.stop()
  })
})

describe('schema', () => {
  test.each(['config', 'batch'])('%s prints JSON Schema', async (kind) => {
    const { code, out } = await place.type(['schema', kind])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    })
  })

  test('of something else is refused', async () => {
    expect(await place.type(['schema', 'yard'])).toMatchObject({ code: 2 })
  })
})
