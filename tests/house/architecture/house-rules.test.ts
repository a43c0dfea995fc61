import { describe, expect, test } from 'vitest'
import { findBreaches, houseRules, longFiles } from './house-rules.ts'
import { readSources, type Source } from './read-sources.ts'

const sources = readSources('src')

describe('the sources keep the rules of the house', () => {
  test.each(houseRules.map((rule) => [rule.name, rule] as const))('%s', (_name, rule) => {
    expect(findBreaches(rule, sources)).toEqual([])
  })

  test('every file that is excused for its length is still that long', () => {
    const long = sources.filter(({ text }) => text.split('\n').length - 1 > 300).map(({ path }) => path)
    expect(Object.keys(longFiles).filter((path) => !long.includes(path))).toEqual([])
  })
})

describe('the rules of the house fire', () => {
  const breaches: readonly (readonly [string, Source, string])[] = [
    ['one word per thing', { path: 'board/a.ts', text: 'export const jobCount = 1' }, 'our word is task'],
    ['one word per thing', { path: 'board/a.ts', text: 'export interface RunSessions { x: 1 }' }, 'says "session"'],
    ['only entry files', { path: 'api/a.ts', text: 'const home = process.env.HOME' }, 'process.env'],
    ['only entry files', { path: 'cli/a.ts', text: 'process.exit(2)' }, 'process.exit'],
    ['time and chance', { path: 'board/a.ts', text: 'const now = Date.now()' }, 'Date.now'],
    ['time and chance', { path: 'board/a.ts', text: 'const now = new Date()' }, 'new Date()'],
    ['time and chance', { path: 'board/a.ts', text: 'setTimeout(() => {}, 5)' }, 'setTimeout()'],
    ['only the store', { path: 'api/a.ts', text: `import sqlite from 'better-sqlite3'` }, 'better-sqlite3'],
    ['only the signal module', { path: 'dispatcher/a.ts', text: `process.kill(12, 'SIGTERM')` }, 'process.kill'],
    [
      'one file starts workers',
      { path: 'board/a.ts', text: `import { spawn } from 'node:child_process'` },
      'supervisor',
    ],
    ['one builder makes', { path: 'board/a.ts', text: `const run = await import('execa')` }, 'environmentFrom'],
    ['folders are made by', { path: 'cli/a.ts', text: 'mkdirSync(dir, { recursive: true })' }, 'mkdir with recursive'],
    ['doors list', { path: 'board/index.ts', text: `export * from './a.ts'` }, 'export *'],
    ['no drawers', { path: 'board/utils.ts', text: '' }, 'is a drawer'],
    ['one file, one idea', { path: 'board/a.ts', text: '//\n'.repeat(301) }, 'has 301 lines'],
  ]

  test.each(breaches.map(([name, source, says]) => [name, says, source] as const))(
    '%s: finds %s',
    (name, says, source) => {
      const rule = houseRules.find((each) => each.name.startsWith(name))
      expect(rule && findBreaches(rule, [source])).toEqual([expect.stringContaining(says)])
    },
  )

  test('and are quiet about a file that keeps them', () => {
    const fine = { path: 'board/claim.ts', text: 'export const claimAt = (clock: Clock) => new Date(clock.nowMs())' }
    expect(houseRules.flatMap((rule) => findBreaches(rule, [fine]))).toEqual([])
  })
})
