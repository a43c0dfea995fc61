import fc from 'fast-check'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { renderJUnit, verdictOf } from '../../../src/cli/report/render-junit.ts'
import { renderXml } from '../../../src/cli/report/xml.ts'
import { aNight, aReport, aRow } from './a-report.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: { enabled: true, maxTotalExpansions: 100_000 },
  isArray: (name) => ['testsuite', 'testcase', 'property'].includes(name),
})

interface Parsed {
  readonly testsuites: {
    readonly name: string
    readonly tests: string
    readonly testsuite: readonly {
      readonly name: string
      readonly tests: string
      readonly testcase: readonly Record<string, unknown>[]
    }[]
  } & Record<string, string>
}

function parsed(
  view: Parameters<typeof renderJUnit>[0]['view'],
  files: ReadonlyMap<string, string> = new Map(),
): Parsed {
  const text = renderJUnit({ view, files })
  expect(XMLValidator.validate(text)).toBe(true)
  return parser.parse(text)
}

describe('junit.xml', () => {
  test('of a bad night, line by line', async () => {
    await expect(renderJUnit({ view: aNight(), files: new Map([['suite[web]', 'src/web.ts']]) })).toMatchFileSnapshot(
      'golden/bad-night.xml.txt',
    )
  })

  test('has a suite for each task of the file and a case for each row, with figures that add up', () => {
    const { testsuites } = parsed(aNight())
    expect(testsuites).toMatchObject({ name: 'night', tests: '13', failures: '4', errors: '1', skipped: '6' })
    const suite = testsuites.testsuite.find(({ name }) => name === 'suite')
    expect(suite?.testcase.map(({ name }) => name)).toEqual(['web', 'api', 'cli'])
    expect(testsuites.testsuite.reduce((sum, { tests }) => sum + Number(tests), 0)).toBe(13)
  })

  test('names the source file where the matrix has one', () => {
    const { testsuites } = parsed(
      aReport([aRow({ id: 1, key: 'lint[a.ts]', status: 'done' })]),
      new Map([['lint[a.ts]', 'src/a.ts']]),
    )
    expect(testsuites.testsuite[0]?.testcase[0]).toMatchObject({ name: 'a.ts', classname: 'lint', file: 'src/a.ts' })
  })

  test('the folded tail is the text of a failure, the reason its message', () => {
    const { testsuites } = parsed(aNight())
    const [web] = testsuites.testsuite.find(({ name }) => name === 'suite')?.testcase ?? []
    expect(web?.failure).toMatchObject({
      type: 'failed',
      message: 'exit code 1: Tests: 1 failed',
      '#text': 'cart.test: expected 200, got 401\nTests: 1 failed',
    })
  })
})

describe('how ends count (files-and-cli section 3)', () => {
  const by = (code: string) => ({ hold: { code, text: '', by: null } })
  test.each([
    ['failed', 'failure'],
    ['incomplete', 'failure'],
    ['check_failed', 'failure'],
    ['timed_out', 'failure'],
    ['stalled', 'failure'],
    ['killed', 'error'],
    ['oom', 'error'],
  ] as const)('failed as %s is a %s', (code, verdict) => {
    expect(verdictOf({ end: 'failed', code }, by(code))).toBe(verdict)
  })

  test.each([
    ['launch_failed', 'error'],
    ['check_error', 'error'],
    ['interrupted', 'error'],
    ['lost', 'error'],
    ['unknown', 'error'],
    ['tempfail', 'skipped'],
    ['stopped', 'skipped'],
    ['failed', 'failure'],
  ] as const)('blocked as %s is %s', (code, verdict) => {
    expect(verdictOf({ end: 'needs_you', code }, by(code))).toBe(verdict)
  })

  test('a person who blocks a task after a failure has decided, so it is skipped', () => {
    expect(verdictOf({ end: 'needs_you', code: 'failed' }, by('by_person'))).toBe('skipped')
  })

  test('cancelled, limits and not started are skipped, done passes', () => {
    const none = { hold: null }
    expect(verdictOf({ end: 'cancelled', code: 'cancelled' }, none)).toBe('skipped')
    expect(verdictOf({ end: 'not_finished', code: 'account_held' }, none)).toBe('skipped')
    expect(verdictOf({ end: 'done', code: 'done' }, none)).toBe('passed')
  })
})

describe('whatever a program prints', () => {
  test('the document is well-formed and reads back what XML can hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (tail, reason) => {
        parsed(
          aReport([
            aRow({ id: 1, key: `k[${reason}]`, status: 'failed' }, [{ outcome: 'failed', reason, output_tail: tail }]),
          ]),
        )
      }),
    )
  })

  test('control characters, half surrogates and CDATA ends are spelled out, not lost and not obeyed', () => {
    const text = 'a\u0000b\u001b[31m]]><x>&amp;\ud800\ufffe c'
    const xml = renderXml({ name: 'r', attributes: { v: text, lines: '1\n2\t3' }, text })
    expect(XMLValidator.validate(xml)).toBe(true)
    expect(parser.parse(xml).r).toMatchObject({
      v: 'a\\u0000b\\u001b[31m]]><x>&amp;\\ud800\\ufffe c',
      '#text': 'a\\u0000b\\u001b[31m]]><x>&amp;\\ud800\\ufffe c',
    })
    expect(xml).toContain('lines="1&#10;2&#9;3"')
  })
})
