import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
const packageJson = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

describe.each(pages)('%s', (page) => {
  const text = readFileSync(page, 'utf8')

  test('links only to what is there', () => {
    const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    const own = targets.filter((target) => !/^[a-z]+:/.test(target))
    expect(own.filter((target) => !existsSync(join(dirname(page), target)))).toEqual([])
  })

  test('names only npm scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([a-z]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => packageJson.scripts[name] === undefined)).toEqual([])
  })
})

test('the changelog says what is new for users, under Unreleased', () => {
  const [, unreleased = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## Unreleased$/m)
  expect(unreleased.split(/^## /m)[0]?.match(/^- /gm)?.length ?? 0).toBeGreaterThan(0)
})
