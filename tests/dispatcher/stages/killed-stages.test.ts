import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { CrashPoint, TaskId } from '../../../src/kernel/index.ts'
import { buildHub, startHub } from '../hub-process.ts'
import { startYard, type YardOptions } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

const options: YardOptions = {
  slots: 2,
  graceMs: 100,
  env: { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
}

/** Each leaves a line for each of its stages outside of its worktree: what was done twice cannot hide. */
async function seed(): Promise<{ root: string; repo: Repository; tasks: readonly TaskId[] }> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-stages-')))
  const yard = await startYard({ ...options, home: root })
  await yard.dispatcher.stop()
  const repo = makeRepository(join(yard.folder, 'shop'), { 'a.txt': 'a\n', '.gitignore': 'ready\n' })
  const trace = (stage: string) => `echo ${stage} >> ${yard.folder}/trace-$YARDMASTER_TASK`
  const tasks = [1, 2].map((n) =>
    yard.add({
      title: `Part ${n}`,
      run: `${trace('begin')}; echo ${n} >> a.txt; echo new > new-${n}; ${trace('work')}`,
      rerun: 'auto',
      workspace: repo.workspace({ setup: { run: `${trace('setup')}; touch ready` } }),
      check: { run: `[ -e ready ]; grep -q ${n} a.txt; ${trace('check')}; echo litter > litter` },
      expect: 'change',
    }),
  )
  await yard.leave()
  return { root, repo, tasks }
}

beforeAll(buildHub)

const points: readonly (readonly [CrashPoint, number])[] = [
  ['workspace.made', 1],
  // Of the setup, the work, the check.
  ['run.directory', 1],
  ['shim.spawned', 3],
  ['shim.spawned', 5],
  ['identity.committed', 1],
  ['identity.committed', 5],
  ['gate.opened', 1],
  ['gate.opened', 5],
  ['exit.seen', 3],
  ['exit.seen', 5],
  ['stage.over', 1],
  ['stage.over', 3],
  ['tree.swept', 3],
  ['changes.taken', 1],
  ['change.recorded', 1],
  ['exit.committed', 1],
  ['workspace.put_back', 1],
  ['settle.committed', 1],
]

test.each(points)(
  'a hub that is killed at %s (hit %i) loses no change and repeats no work that is done',
  async (point, hit) => {
    const { root, repo, tasks } = await seed()
    const hub = startHub(root, options, `${point}:${hit}`)
    expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])

    await using yard = await startYard({ ...options, home: root })
    for (const id of tasks) {
      expect(await yard.over(id)).toMatchObject({ status: 'done', failures: 0 })
      const lines = readFileSync(join(yard.folder, `trace-T${id}`), 'utf8')
        .trim()
        .split('\n')
      expect(lines.filter((line) => line === 'setup')).toHaveLength(1)
      expect(lines.filter((line) => line === 'work')).toHaveLength(1)
      expect(lines.filter((line) => line === 'check').length).toBeLessThanOrEqual(2)
      const change = yard.board.lastChangeOf(id)
      expect(change?.files.map(({ path }) => path)).toEqual(['a.txt', `new-${id}`])
      expect(repo.git('show', `${change?.branch}:a.txt`)).toBe(`a\n${id}`)
      const done = yard.runs(id).filter(({ outcome }) => outcome === 'done')
      expect(done).toHaveLength(1)
      for (const run of yard.runs(id)) expect(run.phase).toBe('settled')
    }
    expect(yard.board.openRuns()).toEqual([])
    expect(repo.git('branch', '--list', 'yard/*', '--format=%(refname)').split('\n')).toHaveLength(2)
    repo.git('fsck', '--strict', '--no-dangling')
  },
)

test('an attempt whose work was twice at its gate ends as it ended: what the first one left there says nothing', async () => {
  const { root, tasks } = await seed()
  for (const point of ['shim.spawned:3', 'gate.opened:1']) {
    const hub = startHub(root, options, point)
    expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])
  }

  await using yard = await startYard({ ...options, home: root })
  for (const id of tasks) {
    expect(await yard.over(id)).toMatchObject({ status: 'done', failures: 0 })
    const outcomes = yard.runs(id).map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome !== 'interrupted')).toEqual(['done'])
  }
})

test.each(['exit.committed', 'change.recorded'] as const)(
  'a hub that is killed at %s loses no file that a failed attempt names',
  async (point) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-stages-')))
    const begun = await startYard({ ...options, home: root })
    await begun.dispatcher.stop()
    const repo = makeRepository(join(begun.folder, 'shop'))
    const report = `printf '{"schema":1,"run":%s,"fence":%s,"status":"failed","artifacts":[{"path":"why.txt"}]}'`
    const run = `echo why > why.txt; ${report} "\${YARDMASTER_RUN#R}" "$YARDMASTER_FENCE" > "$YARDMASTER_REPORT"; exit 1`
    const workspaces = [{ kind: 'scratch' }, repo.workspace()] as const
    const tasks = workspaces.map((workspace) => begun.add({ run, workspace, attempts: 1 }))
    await begun.leave()
    const hub = startHub(root, { ...options, slots: 1 }, `${point}:1`)
    expect([await hub.ended, hub.stderr()]).toEqual(['SIGKILL', ''])

    await using yard = await startYard({ ...options, home: root })
    for (const id of tasks) {
      expect(await yard.over(id)).toMatchObject({ status: 'failed', runs: 1 })
      expect(yard.board.attachmentsOf(id)).toMatchObject([{ name: 'why.txt' }])
    }
  },
)
