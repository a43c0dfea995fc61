import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processesWith } from './processes.ts'
import { startProduct } from './product.ts'

// Agents change thirty files of a copy of this very repository, each in a worktree of its own. Half of them get it wrong at first:
// their check says so, and the next attempt reads what it said.

let folder: string
let repo: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-thirty-'))
  repo = join(folder, 'repo')
  copyRepository(repo)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }), 120_000)

const env = () => ({
  YARDMASTER_HOME: join(folder, 'home'),
  HOME: folder,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ana',
  GIT_AUTHOR_EMAIL: 'ana@example.org',
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@example.org',
})
const git = (...args: readonly string[]): string =>
  execFileSync('git', [...args], { cwd: repo, env: { PATH: process.env.PATH, ...env() }, encoding: 'utf8' }).trim()

test('thirty agents, half of them wrong at first, end with thirty checked patches that apply onto one branch whose own check passes', async () => {
  const files = git('ls-files', 'src/kernel/*.ts', 'src/board/*.ts').split('\n').slice(0, 30)
  expect(files).toHaveLength(30)
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify(scenario(files)))
  const provider = startProduct(['dev', 'rehearsal', join(folder, 'scenario.json')], env())
  try {
    const address = /http:\/\/\S+\/v1/.exec(await provider.said('/v1'))?.[0] ?? ''
    writeFileSync(join(folder, 'yardmaster.yaml'), JSON.stringify(config(address)))
    writeFileSync(join(folder, 'headers.yaml'), JSON.stringify(batch(files)))
    const batchRun = startProduct(
      [
        'run',
        join(folder, 'headers.yaml'),
        '--config',
        join(folder, 'yardmaster.yaml'),
        '--report',
        join(folder, 'out'),
      ],
      env(),
    )
    expect([await batchRun.ended, batchRun.stderr()]).toEqual([0, ''])
  } finally {
    provider.process.kill('SIGINT')
    await provider.ended
  }
  const { tasks } = JSON.parse(readFileSync(join(folder, 'out', 'report.json'), 'utf8'))
  const runs = tasks.map(({ runs: n }: { runs: number }) => n)
  expect(runs.filter((n: number) => n === 2)).toHaveLength(15)
  expect(readdirSync(join(folder, 'out', 'patches'))).toHaveLength(30)
  expect(git('status', '--porcelain')).toBe('')

  const main = git('rev-parse', 'main')
  const apply = startProduct(
    ['apply', join(folder, 'out'), '--checked', '--onto', 'headers', '--check', checkAll(files)],
    { ...env(), PWD: repo },
    { cwd: repo },
  )
  expect([await apply.ended, apply.stdout() + apply.stderr()]).toEqual([0, expect.stringContaining('30 applied')])
  expect(git('rev-list', '--count', 'main..headers')).toBe('30')
  expect(git('diff', '--name-only', 'main', 'headers').split('\n').sort()).toEqual([...files].sort())
  expect(git('rev-parse', 'main')).toBe(main)
  git('fsck', '--strict', '--no-dangling')
  expect(processesWith(`YARDMASTER_HOME=${folder}`)).toEqual([])
}, 600_000)

/** The line that each task is to put on top of its file. */
const header = (file: string) => `// file: ${file}`

function scenario(files: readonly string[]) {
  const write = (file: string, line: string) => ({
    call: [{ tool: 'terminal', with: { command: `printf '%s\\n' '${line}' | cat - ${file} > new && mv new ${file}` } }],
  })
  return {
    model: 'rehearsal',
    plays: [
      // Only the second attempt is told what the check has said.
      ...files.flatMap((file) => [
        {
          when: [`Head ${file} with`, 'got: // wrong'],
          turns: [
            { call: [{ tool: 'terminal', with: { command: `sed -i '1s|.*|${header(file)}|' ${file}` } }] },
            { say: `${file} has its header now.` },
          ],
        },
      ]),
      ...files.map((file, n) => ({
        when: `Head ${file} with`,
        turns: [write(file, n % 2 === 0 ? header(file) : '// wrong'), { say: `${file} has its header.` }],
      })),
    ],
  }
}

function config(address: string) {
  return {
    slots: 4,
    accounts: { rehearsal: { base_url: address, key: 'none' } },
    lanes: { chat: { uses: 'chat', account: 'rehearsal', model: 'rehearsal' } },
  }
}

function batch(files: readonly string[]) {
  return {
    name: 'headers',
    defaults: { lane: 'chat', timeout: '5m', attempts: 2 },
    tasks: {
      file: {
        matrix: { f: files },
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the batch file
        prompt: 'Head ${{ matrix.f }} with its name.',
        workspace: { repo },
        check:
          'read -r first < "$f"; [ "$first" = "// file: $f" ] || { echo "expected the header of $f, got: $first"; exit 1; }',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the batch file
        may_change: ['${{ matrix.f }}'],
        expect: 'change',
      },
    },
  }
}

const checkAll = (files: readonly string[]) => files.map((file) => `grep -qx '${header(file)}' ${file}`).join(' && ')

/** Its program: some 1,000 files. A checkout without its history will do, so it is begun anew. */
function copyRepository(to: string): void {
  const from = resolve('.')
  mkdirSync(to, { recursive: true })
  for (const name of ['src', 'package.json', 'README.md']) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    cpSync(join(from, name), join(to, name), { recursive: true })
  }
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'begin')
}
