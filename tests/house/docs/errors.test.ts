import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ErrorRow } from '../../../src/kernel/index.ts'
import { readSources } from '../architecture/read-sources.ts'

interface Catalogue {
  readonly file: string
  readonly rows: Readonly<Record<string, ErrorRow<never>>>
}

/** Every `defineErrors` of the sources, found by the files that call it. */
async function readCatalogues(): Promise<readonly Catalogue[]> {
  const files = readSources('src').filter(
    ({ path, text }) => path !== 'kernel/errors.ts' && /\bdefineErrors\(/.test(text),
  )
  const found = await Promise.all(
    files.map(async ({ path }) => {
      const exported: Record<string, unknown> = await import(resolve('src', path))
      const makers = Object.values(exported).filter((value) => typeof value === 'function' && 'catalogue' in value)
      return makers.map((maker) => ({
        file: path,
        rows: (maker as unknown as { catalogue: Catalogue['rows'] }).catalogue,
      }))
    }),
  )
  return found.flat()
}

/** Rows of the tables of docs/errors.md: code, meaning, fix. */
function readDocumented(): readonly (readonly [code: string, meaning: string, fix: string])[] {
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|(.*)\|(.*)\|$/gm)
  return [...rows].map(([, code = '', meaning = '', fix = '']) => [code, meaning.trim(), fix.trim()])
}

const catalogues = await readCatalogues()
const codes = catalogues.flatMap(({ rows }) => Object.keys(rows))
const documented = readDocumented()

describe('docs/errors.md', () => {
  test('knows every code of the program (missing here: add its row: code, meaning, fix)', () => {
    const known = new Set(documented.map(([code]) => code))
    expect(codes.filter((code) => !known.has(code))).toEqual([])
  })

  test('names no code that the program does not have (listed here: take its row out)', () => {
    expect(documented.map(([code]) => code).filter((code) => !codes.includes(code))).toEqual([])
  })

  test('has each code once, with a meaning and a fix', () => {
    expect(documented.map(([code]) => code)).toEqual([...new Set(documented.map(([code]) => code))])
    for (const [code, meaning, fix] of documented) {
      expect([code, meaning.length > 5, fix.length > 5]).toEqual([code, true, true])
    }
  })
})

describe('the catalogues of the program', () => {
  test('share no code', () => {
    expect(codes).toEqual([...new Set(codes)])
  })

  test('each keep one prefix, the name of their part', () => {
    for (const { file, rows } of catalogues) {
      const part = file.split('/').at(-2)?.toUpperCase().replaceAll('-', '_') ?? ''
      expect([file, Object.keys(rows).filter((code) => !code.startsWith(`${part}_`))]).toEqual([file, []])
    }
  })

  test('give every error a status that says whose it is to mend', () => {
    for (const { rows } of catalogues) {
      for (const [code, { status }] of Object.entries(rows)) {
        expect([code, status >= 400 && status <= 599]).toEqual([code, true])
      }
    }
  })
})
