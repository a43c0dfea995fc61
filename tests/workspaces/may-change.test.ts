import { describe, expect, test } from 'vitest'
import { buildMayChange } from '../../src/workspaces/may-change.ts'

describe('may_change', () => {
  test.each([
    [['src/**'], ['src/a.ts', 'src/deep/.hidden', 'src/line\nend'], ['a.ts', 'Src/a.ts', 'xsrc/a.ts']],
    [['src/'], ['src/a', 'src/b/c'], ['src', 'srcs/a']],
    [
      ['./src/*.ts', '/package.json'],
      ['src/a.ts', 'package.json'],
      ['src/a/b.ts', 'x/package.json'],
    ],
    [['src/[id].tsx'], ['src/[id].tsx', 'src/i.tsx'], ['src/x.tsx']],
    [['app/{slug}.ts'], ['app/{slug}.ts'], ['app/a.ts']],
    [
      ['**', '!**/*.lock', '!ci/'],
      ['a', 'x/b'],
      ['yarn.lock', 'x/y.lock', 'ci/a'],
    ],
    [['*.md'], ['README.md', '.x.md'], ['docs/a.md']],
    [[''], [], ['a', '']],
    [[], [], ['a']],
  ] as const)('%j allows and refuses what a person expects', (patterns, allowed, refused) => {
    const mayChange = buildMayChange(patterns)
    expect(allowed.filter((path) => !mayChange(path))).toEqual([])
    expect(refused.filter((path) => path !== '' && mayChange(path))).toEqual([])
  })
})
