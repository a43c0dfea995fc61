// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub look like it
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { verbsNotYet } from '../../../src/cli/not-yet.ts'
import { buildProgram } from '../../../src/cli/program.ts'
import { verbs } from '../../../src/cli/verbs.ts'
import { openPlace } from '../../cli/run/a-place.ts'

const pages = ['docs/ci.md', 'docs/untrusted-pull-requests.md'] as const
const texts = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]))

/** The fenced examples of a page by the file name in their first line. */
function examplesOf(page: (typeof pages)[number]): ReadonlyMap<string, string> {
  const blocks = [...(texts.get(page) ?? '').matchAll(/^```ya?ml\n# (.+)\n([\s\S]*?)^```$/gm)]
  return new Map(blocks.map(([, name = '', text = '']) => [name, text]))
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly if?: string
  readonly with?: Record<string, unknown>
  readonly env?: Record<string, string>
}
interface Workflow {
  readonly permissions: unknown
  readonly on: Record<string, unknown>
  readonly jobs: Record<
    string,
    { readonly permissions: unknown; readonly if?: string; readonly needs?: string; readonly steps: Step[] }
  >
}

const workflow = (page: (typeof pages)[number], name: string): Workflow => parse(examplesOf(page).get(name) ?? '')
const scripts = (steps: readonly Step[]) => steps.map(({ run }) => run ?? '').join('\n')

describe('the example for GitHub', () => {
  const { permissions, jobs } = workflow('docs/ci.md', '.github/workflows/refactor.yml')
  const { agents, land } = jobs
  if (agents === undefined || land === undefined) throw new Error('the example has two jobs')

  test('gives the job with agents the right to read and nothing more', () => {
    expect(permissions).toEqual({})
    expect(agents.permissions).toEqual({ contents: 'read' })
    expect(agents.steps[0]).toMatchObject({ uses: 'actions/checkout@v5', with: { 'persist-credentials': false } })
    expect(JSON.stringify(agents)).not.toMatch(/github\.token|GITHUB_TOKEN|GH_TOKEN/)
  })

  test('gives the job that pushes no key, no agent, and nothing to run that agents wrote', () => {
    expect(land.permissions).toEqual({ contents: 'write', 'pull-requests': 'write' })
    expect(JSON.stringify(land)).not.toContain('secrets.')
    expect(scripts(land.steps)).not.toMatch(/yardmaster run|npm (ci|test|run)|--check\b(?!ed)/)
    expect(land).toMatchObject({ needs: 'agents', if: '${{ !cancelled() }}' })
    expect(scripts(land.steps)).toContain('yardmaster apply out --checked --onto')
  })

  test('hears the signal of the runner, and keeps the report whatever happens', () => {
    const runs = agents.steps.filter(({ run }) => run?.includes('yardmaster run'))
    expect(runs.map(({ run }) => run)).toEqual([expect.stringMatching(/^exec yardmaster run .* --orphans die$/)])
    const upload = agents.steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))
    expect(upload).toMatchObject({ if: '${{ always() }}', with: { path: 'out' } })
    const download = land.steps.find(({ uses }) => uses?.startsWith('actions/download-artifact@'))
    expect(download?.with).toMatchObject({ name: upload?.with?.name, path: 'out' })
  })

  test('lets through only those codes that stand in the table as no failure', () => {
    const steps = parse(examplesOf('docs/ci.md').get('steps of .github/workflows/refactor.yml') ?? '') as Step[]
    expect(scripts(steps)).toMatch(/ in 5\|7\) /)
    expect(mayPass()).toEqual([5, 7])
  })
})

describe('the example for GitLab', () => {
  const { refactor, land } = parse(examplesOf('docs/ci.md').get('.gitlab-ci.yml') ?? '')

  test('keeps the report whatever happens, shows JUnit, and lets through what is no failure', () => {
    expect(refactor.allow_failure).toEqual({ exit_codes: mayPass() })
    expect(refactor.artifacts).toMatchObject({ when: 'always', paths: ['out'], reports: { junit: 'out/junit.xml' } })
    expect(refactor.script.at(-1)).toMatch(/^exec yardmaster run .* --report out --orphans die$/)
  })

  test('gives the two jobs environments of their own, so that neither sees the other’s secrets', () => {
    expect([refactor.environment.name, land.environment.name]).toEqual(['agents', 'land'])
    expect(land.needs).toEqual([{ job: 'refactor', artifacts: true }])
    expect(land.script.join('\n')).not.toMatch(/yardmaster run|npm (ci|test)\b|--check\b(?!ed)/)
  })
})

describe('what both pages type', () => {
  test.each(pages)('%s: verbs and flags are those of the program', (page) => {
    const lines = [...(texts.get(page) ?? '').matchAll(/\byardmaster ((?:[a-z]+)(?: [^\n`|&;#)]+)?)/g)]
    const typed = lines
      .map(([, line = '']) => line.split(/\s+/))
      .filter(([verb = '']) => commands.has(verb) && !(verb in verbsNotYet))
    expect(typed.length).toBeGreaterThanOrEqual(2)
    for (const [verb = '', ...words] of typed) {
      const flags = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0])
      const known = commands.get(verb)
      expect({ verb, unknown: flags.filter((flag) => !known?.has(flag ?? '')) }).toEqual({ verb, unknown: [] })
    }
  })

  test('the codes of the table are those of a batch', () => {
    const codes = codeRows().map(([code]) => code)
    const source = readFileSync('src/board/batch-verdict.ts', 'utf8')
    const verdicts = [...source.matchAll(/says\((\d+)/g)].map(([, code]) => Number(code))
    expect(verdicts.length).toBeGreaterThan(3)
    expect(codes).toEqual(expect.arrayContaining(verdicts))
    expect(codes).toEqual([0, 2, 130, 1, 9, 6, 3, 5, 7])
  })

  test('no example hands a stranger’s text to a shell', () => {
    for (const page of pages)
      for (const [name, text] of examplesOf(page)) {
        const jobs = (parse(text) as Partial<Workflow>).jobs ?? {}
        const steps = Object.values(jobs).flatMap(({ steps }) => steps)
        expect({ name, pasted: scripts(steps).match(/\$\{\{/g) }).toEqual({ name, pasted: null })
      }
  })

  test('agents work on a request by a commit, with no right to write', () => {
    const { on, permissions, jobs } = workflow(
      'docs/untrusted-pull-requests.md',
      '.github/workflows/agents-on-request.yml',
    )
    expect(Object.keys(on)).toEqual(['workflow_dispatch'])
    expect([permissions, jobs.agents?.permissions]).toEqual([{}, { contents: 'read' }])
  })
})

describe('the batch files', () => {
  test.each(['refactor.yaml', 'fleet.yaml'])('%s is read by the program as it stands', async (name) => {
    await using place = openPlace()
    const files = { [name]: examplesOf('docs/ci.md').get(name) ?? '', 'repos.txt': 'acme/web\nacme/api\n' }
    const others = ['src/a.ts', 'prompts/codemod.md', 'prompts/node-22.md', 'package-lock.json']
    for (const path of [...Object.keys(files), ...others]) {
      mkdirSync(dirname(join(place.dir, path)), { recursive: true })
      writeFileSync(join(place.dir, path), files[path] ?? 'text\n')
    }
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...argv], { cwd: place.dir, stdio: 'pipe' })
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '--message', 'x')
    const env = { GITHUB_SHA: 'abc' }
    const { code, out, err } = await place.type(['run', name, '--dry-run'], { env })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain('Nothing was created.')
  })
})

function codeRows(): readonly (readonly [number, string])[] {
  const rows = [...(texts.get('docs/ci.md') ?? '').matchAll(/^\| (\d+) \| .* \|([^|]*)\|$/gm)]
  return rows.map(([, code, pipeline = '']) => [Number(code), pipeline.trim()] as const)
}

function mayPass(): readonly number[] {
  return codeRows()
    .filter(([, pipeline]) => pipeline.startsWith('may pass'))
    .map(([code]) => code)
}

/** Flags of each verb of the program, those of every verb included. */
const commands = flagsByVerb()

function flagsByVerb(): ReadonlyMap<string, ReadonlySet<string>> {
  const out = {
    write: () => {},
    isTerminal: false,
    width: () => 80,
    height: () => 24,
    closed: new AbortController().signal,
  }
  const program: Command = buildProgram({
    verbs,
    version: '1.2.3',
    out,
    paint: picocolors.createColors(false),
    argv: [],
    run: async () => {},
  })
  const own = (command: Command) =>
    command.options.flatMap(({ short, long }) => [short, long].filter((one) => one != null))
  const all = own(program)
  return new Map(program.commands.map((command) => [command.name(), new Set([...all, ...own(command)])]))
}
