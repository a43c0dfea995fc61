import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/kernel/config/index.ts'

const parse = (text: string) =>
  parseConfig({ text, file: '/yard/yardmaster.yaml', cores: 4, userHome: '/no/such/home' })

function boardOf(text: string) {
  const parsed = parse(`boards: { shop: ${text} }`)
  return parsed.ok ? parsed.config.boards.shop : parsed.faults.map(({ path, says, fix }) => `${path} ${says}: ${fix}`)
}

describe('a board', () => {
  test('says the repository, check, setup and workspace of its project', () => {
    expect(
      boardOf(`{ repo: ~/code/shop, lane: command, check: npm test, setup: { run: [npm, ci], timeout: 5m, key: [package-lock.json] },
        workspace: { ref: main, copy: [.env.test], fresh: true } }`),
    ).toEqual({
      lane: 'command',
      repo: '/no/such/home/code/shop',
      check: { run: 'npm test' },
      workspace: 'worktree',
      worktree: {
        ref: 'main',
        setup: { run: ['npm', 'ci'], timeoutMs: 300_000, key: ['package-lock.json'] },
        copy: ['.env.test'],
        fresh: true,
      },
    })
  })

  test('has its repository from the folder of the file, or somewhere else', () => {
    expect(boardOf('{ repo: ./no/such/repo }')).toMatchObject({ repo: '/yard/no/such/repo' })
    expect(boardOf('{ repo: "git@host:shop.git", workspace: { depth: 1 } }')).toMatchObject({
      repo: 'git@host:shop.git',
      worktree: { depth: 1 },
    })
  })

  test('says that there is no check, which is something else than to say nothing', () => {
    expect(boardOf('{ check: none }')).toMatchObject({ check: null })
    expect(boardOf('{ lane: command }')).toEqual({ lane: 'command', repo: null, worktree: {} })
  })

  test.each([
    ['{ repo: "https://jo:hunter2@host/x" }', 'boards.shop.repo holds a password, which would be stored'],
    ['{ repo: "~jo/x" }', "boards.shop.repo is in another user's home: write the whole path"],
    ['{ check: "" }', 'boards.shop.check must be text for bash -euo pipefail -c, or a list of'],
    [
      '{ check: { run: x, timeout: 999999999d } }',
      'boards.shop.check.timeout (999999999d) is more than can be counted',
    ],
    ['{ setup: x, workspace: { setup: y } }', 'boards.shop.setup stands here and in workspace: keep one of them'],
    ['{ workspace: {} }', 'boards.shop.workspace is empty'],
    ['{ workspace: { ref: --all } }', 'boards.shop.workspace.ref begins like an option'],
    ['{ workspace: { copy: [../x] } }', "boards.shop.workspace.copy[0] must be a path or glob from the repository's"],
    ['{ workspace: { repo: . } }', 'boards.shop.workspace.repo is not known'],
  ])('with a fault says so: %s', (text, says) => {
    expect(boardOf(text)).toEqual([expect.stringContaining(says)])
    expect(JSON.stringify(boardOf(text))).not.toContain('hunter2')
  })
})
