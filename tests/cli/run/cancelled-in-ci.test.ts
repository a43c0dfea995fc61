import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readStat } from '../../../src/kernel/process/index.ts'
import { waitFor } from '../../wait-for.ts'
import { buildProgram, startProgram } from '../program.ts'

beforeAll(buildProgram)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'yard-cancelled-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const inRoot = (path: string) => join(root, path)
const read = (path: string) => readFileSync(inRoot(path), 'utf8')
const workers = 8

/** One task that ends at once, and eight that say their pid, hear no TERM, and leave a child that hears none either. */
function putBatch(): void {
  const waits =
    "trap '' TERM INT; sleep 600 & echo $$ $! > w.$n.new; mv w.$n.new w.$n; until test -e go; do sleep 0.05; done"
  const n = Array.from({ length: workers }, (_, index) => index + 1)
  const tasks = {
    first: { run: 'echo ok' },
    slow: { matrix: { n }, run: waits, needs: 'first', grace: '5m', rerun: 'auto' },
  }
  writeFileSync(inRoot('b.yaml'), JSON.stringify({ limits: { slots: workers }, tasks }))
}

function startInCi(env: Record<string, string>) {
  return startProgram(['run', 'b.yaml', '--report', 'out', '--orphans', 'die'], {
    home: inRoot('home'),
    cwd: root,
    env: { CI: 'true', ...env },
  })
}

/** Of each of the eight its own pid and that of its child, once all of them run. */
async function allRun(many = workers): Promise<readonly (readonly string[])[]> {
  await waitFor(() => expect(readdirSync(root).filter((name) => /^w\.\d$/.test(name))).toHaveLength(many))
  return readdirSync(root)
    .filter((name) => /^w\.\d$/.test(name))
    .map((name) => read(name).trim().split(' '))
}

/** A zombie has ended: whether its parent fetches it is the machine's business. */
function isAlive(pid: string): boolean {
  const stat = readStat(Number(pid))
  return typeof stat !== 'string' && stat.state !== 'Z'
}

describe('a run in CI that is cancelled', () => {
  test.each([
    ['GitHub', 'SIGINT', { GITHUB_ACTIONS: 'true' }],
    ['GitLab', 'SIGTERM', { GITLAB_CI: 'true' }],
  ] as const)(
    '%s, by %s: eight workers that hear no signal are gone, the report is whole, exit 130, whatever grace they ask for',
    async (_, signal, host) => {
      putBatch()
      writeFileSync(inRoot('summary'), '# Before\n')
      const run = startInCi({ ...host, GITHUB_STEP_SUMMARY: inRoot('summary'), GITHUB_WORKSPACE: root })
      const pids = (await allRun()).flat()
      const startedMs = performance.now()
      run.child.kill(signal)
      const { code, out, err } = await run.ended
      const tookMs = performance.now() - startedMs
      expect({ code, alive: pids.filter(isAlive) }).toEqual({ code: 130, alive: [] })
      // 5 s on a quiet machine; the grace that the tasks ask for alone would be five minutes.
      expect(tookMs).toBeLessThan(60_000)
      expect(out).toContain('Interrupted: exit 130. Go on where it was: yardmaster run b.yaml')
      expect(read('out/report.md')).toMatch(/^# B1 b is not over: 1 of 9 ended/)
      expect(JSON.parse(read('out/report.json'))).toMatchObject({ exit_code: null, counts: { done: 1, running: 0 } })
      expect(XMLValidator.validate(read('out/junit.xml'))).toBe(true)
      expect(readdirSync(inRoot('out')).sort()).toEqual(['junit.xml', 'report.json', 'report.md'])
      if ('GITHUB_ACTIONS' in host) {
        expect(read('summary')).toMatch(/^# Before\n\n\n# B1 b is not over: 1 of 9 ended/)
        expect(err).toMatch(/^::warning title=\d+ tasks? /m)
      } else {
        expect(read('summary')).toBe('# Before\n')
        expect(err).toBe('')
      }
    },
  )

  test.each(['setup', 'check'] as const)(
    'a %s that hears no signal is ended like work, and its log is kept',
    async (which) => {
      const slow = "echo begun; trap '' TERM INT; sleep 600 & echo $$ $! > w.new; mv w.new $PLACE/w.1; sleep 600"
      const git = (...argv: string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...argv], { cwd: root, stdio: 'pipe' })
      git('init', '--quiet')
      git('commit', '--quiet', '--allow-empty', '--message', 'x')
      const command = slow.replaceAll('$PLACE', root)
      const more = which === 'setup' ? { workspace: { setup: command } } : { workspace: 'worktree', check: command }
      const tasks = { t: { run: 'echo worked > made', rerun: 'auto', ...more } }
      writeFileSync(inRoot('b.yaml'), JSON.stringify({ tasks }))
      const run = startInCi({ GITHUB_ACTIONS: 'true' })
      const [pids = []] = await allRun(1)
      run.child.kill('SIGINT')
      const { code } = await run.ended
      expect({ code, alive: pids.filter(isAlive) }).toEqual({ code: 130, alive: [] })
      const report = JSON.parse(read('out/report.json'))
      expect(report).toMatchObject({ exit_code: null, counts: { running: 0, not_finished: 1 } })
      const kind = which === 'setup' ? 'prepare' : 'check'
      expect(report.tasks[0].all_runs[0].stages.at(-1)).toMatchObject({ kind, output_tail: 'begun' })
      if (which === 'check') expect(readdirSync(inRoot('out/patches'))).toEqual(['T1-t.patch'])
    },
  )

  test('work that takes long to be put on record keeps the report waiting no longer; the same line goes on with it', async () => {
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...argv], { cwd: root, stdio: 'pipe' })
    git('init', '--quiet')
    writeFileSync(inRoot('.gitattributes'), '*.bin filter=slow\n')
    git('add', '.gitattributes')
    git('commit', '--quiet', '--message', 'x')
    git('config', 'filter.slow.clean', 'sleep 600')
    const run = `echo half > made; echo large > large.bin; echo $$ $$ > w.new; mv w.new ${root}/w.1; test -e ${root}/go || sleep 600`
    writeFileSync(inRoot('b.yaml'), JSON.stringify({ tasks: { t: { run, rerun: 'auto', workspace: 'worktree' } } }))
    const first = startInCi({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: inRoot('summary') })
    await allRun(1)
    first.child.kill('SIGINT')
    const cut = await first.ended
    expect(cut.code).toBe(130)
    expect(cut.out).toContain('Not waited for: R1, whose work is still being put on record.')
    expect(read('out/report.md')).toMatch(/^# B1 b is not over/)
    expect(read('summary')).toMatch(/# B1 b is not over/)

    git('config', 'filter.slow.clean', 'cat')
    writeFileSync(inRoot('go'), '')
    const second = await startInCi({}).ended
    expect(second.out).toContain('B1 b: all done, exit 0')
    expect(read('out/patches/T1-t.patch')).toContain('large.bin')
    expect(git('log', '--format=%(trailers:key=Yardmaster-Run,valueonly)', '--all').toString()).toContain('R1')
  })

  // What a worker started itself has no such signal; the runner of GitHub ends that by its own variable (docs/ci.md).
  test('killed in the middle of it, it leaves no worker, and a report of the moment before', async () => {
    putBatch()
    const run = startInCi({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: inRoot('summary') })
    const all = await allRun()
    const pids = all.map(([own = '']) => own)
    run.child.kill('SIGINT')
    await run.says('Stopping')
    run.child.kill('SIGKILL')
    expect((await run.ended).code).toBe('SIGKILL')
    await waitFor(() => expect(pids.filter(isAlive)).toEqual([]))
    expect(read('out/report.md')).toMatch(/^# B1 b is not over/)
    expect(XMLValidator.validate(read('out/junit.xml'))).toBe(true)
    expect(readdirSync(root)).not.toContain('summary')
    for (const [, child = ''] of all) process.kill(Number(child), 'SIGKILL')
  })
})
