import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadAnswerCheck } from '../../../src/worker/answer/output-schema.ts'
import { aFolder } from '../record/a-transcript.ts'

function fileOf(content: unknown): string {
  const file = join(aFolder(), 'answer.schema.json')
  writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content))
  return file
}

const verdict = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    files: { type: 'array', items: { $ref: '#/$defs/file' } },
    severity: { enum: ['low', 'high'] },
  },
  required: ['ok'],
  additionalProperties: false,
  $defs: { file: { type: 'string', pattern: '^[a-z./]+$' } },
}

describe('an answer of a form', () => {
  const loaded = () => loadAnswerCheck(fileOf(verdict))

  test.each([
    ['as it is', '{"ok":true,"files":["src/a.ts"]}'],
    ['with blanks around it', '\n  {"ok": true, "files": ["src/a.ts"]}\n'],
    [
      'in a fence, with words around it',
      'Here it is:\n\n```json\n{"ok": true, "files": ["src/a.ts"]}\n```\n\nAnything else?',
    ],
  ])('is taken %s', (_how, text) => {
    expect(loaded().check(text)).toEqual({ ok: true, value: { ok: true, files: ['src/a.ts'] } })
  })

  test('that does not fit is told what to mend, where it stands', () => {
    expect(loaded().check('{"files":["A B", 7],"severity":"medium","why":"x"}')).toEqual({
      ok: false,
      says: expect.stringMatching(
        /^(?=.*it must have required properties ok)(?=.*it must not have why)(?=.*files\.0 must match pattern)(?=.*files\.1 must be string)(?=.*severity must be one of \["low","high"\])/,
      ),
    })
  })

  test.each([
    ['no JSON', 'Looks good to me!', 'it is not JSON'],
    [
      'of two fences, which of them nobody can know',
      '```\n{"ok":true}\n```\n\n```\n{"ok":false}\n```',
      'it is not JSON',
    ],
    ['deeper than anybody reads', `${'['.repeat(500)}${']'.repeat(500)}`, 'levels deep'],
  ])('that is %s is refused', (_what, text, says) => {
    expect(loaded().check(text)).toEqual({ ok: false, says: expect.stringContaining(says) })
  })

  test('is told the first of a thousand faults', () => {
    const files = Array.from({ length: 1_000 }, (_, index) => index)
    const checked = loaded().check(JSON.stringify({ ok: true, files }))
    expect(checked).toMatchObject({
      ok: false,
      says: expect.stringMatching(/^files\.0 must be string(; files\.\d must be string){1,9}$/),
    })
  })

  test('is asked for with the schema itself', () => {
    expect(loaded().instructions).toContain(JSON.stringify(verdict))
  })
})

test.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#', undefined])(
  'a schema of draft %s is one',
  ($schema) => {
    const { check } = loadAnswerCheck(fileOf({ ...($schema === undefined ? {} : { $schema }), type: 'integer' }))
    expect(check('7').ok).toBe(true)
    expect(check('"7"')).toEqual({ ok: false, says: 'it must be integer' })
  },
)

describe('a schema that is broken is refused before anything is asked', () => {
  test.each([
    ['not JSON', '{', 'it is not JSON'],
    ['no map', [], 'it is no map of keywords'],
    ['not UTF-8', Buffer.from([0xff, 0xfe]), 'it is not UTF-8 text'],
    ['of a type that is none', { type: 'strin' }, 'type'],
    ['with properties that are a list', { type: 'object', properties: [] }, 'properties must be object'],
    ['with a pattern that is none', { type: 'string', pattern: '(' }, 'pattern must match format'],
    ['with a reference that leads nowhere', { $ref: '#/$defs/none' }, '$ref #/$defs/none leads nowhere'],
    ['that refers to itself', { $ref: '#' }, '$ref # refers to itself'],
    [
      'that refers in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      'refers to itself',
    ],
    ['in another file', { $ref: 'other.json' }, '$ref other.json is not in this file'],
    ['of a draft that is none', { $schema: 'https://example.org/mine' }, 'is no draft that is known here'],
    ['very deep', `{"not":${'{"not":'.repeat(300)}{}${'}'.repeat(300)}}`, 'levels deep'],
  ])('%s', (_what, content, says) => {
    const file = fileOf(content)
    expect(() => loadAnswerCheck(file)).toThrow(
      expect.objectContaining({ code: 'WORKER_SCHEMA_FAULTY', message: expect.stringContaining(says) }),
    )
  })

  test('missing, or a folder', () => {
    expect(() => loadAnswerCheck('/nowhere/s.json')).toThrow('it does not exist')
    expect(() => loadAnswerCheck(aFolder())).toThrow('it is no plain file')
  })

  test('but one that refers to itself behind a keyword describes a tree', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }
    const { check } = loadAnswerCheck(fileOf({ ...tree, required: [] }))
    expect(check('{"next":{"next":{}}}').ok).toBe(true)
    expect(check('{"next":{"next":1}}').ok).toBe(false)
  })
})
