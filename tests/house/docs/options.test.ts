import { resolve } from 'node:path'
import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { buildProgram } from '../../../src/cli/program.ts'
import { verbs } from '../../../src/cli/verbs.ts'
import { readSources } from '../architecture/read-sources.ts'
import { environmentVariables, optionsPage, workerVariables } from './options-page.ts'

const program = buildProgram({
  verbs,
  version: '0.0.0',
  argv: [],
  paint: picocolors.createColors(false),
  out: {
    write: () => {},
    isTerminal: false,
    width: () => 1_000,
    height: () => 1_000,
    closed: new AbortController().signal,
  },
  run: async () => {},
})

describe('docs/options.md', () => {
  test('is what the code says (differs? npm run docs)', async () => {
    await expect(optionsPage(program)).toMatchFileSnapshot(resolve('docs/options.md'))
  })

  test('says of every key and every flag what it means', () => {
    const rows = optionsPage(program).matchAll(/^\| `([^`]+)` \|(?:[^|\n]*(?<!\\)\|)*?\s*([^|\n]*)\s\|$/gm)
    expect([...rows].filter(([, , meaning = '']) => meaning.trim().length < 5).map(([, key]) => key)).toEqual([])
  })

  test('explains every variable that the program names, and no other', () => {
    const named = readSources('src').flatMap(({ text }) => text.match(/\bYARDMASTER_[A-Z_]*[A-Z]\b/g) ?? [])
    const explained = [...Object.keys(environmentVariables), ...Object.keys(workerVariables)]
    expect([...new Set(named)].sort()).toEqual(explained.sort())
  })
})
