import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { actor, startYard, type Yard, type YardOptions } from '../start-yard.ts'
import { makeRepository, type Repository } from './a-repository.ts'

const env = { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }

async function startWithRepository(options: YardOptions = {}): Promise<{ yard: Yard; repo: Repository }> {
  const yard = await startYard({ ...options, env: { ...env, ...options.env } })
  return { yard, repo: makeRepository(join(yard.folder, 'shop')) }
}

const complete = { kind: 'complete', code: null, text: 'all is well', data: null, onTask: null } as const
const untilGo = 'while [ ! -e go ]; do sleep 0.01; done'

describe('an attempt that has said that it is done', () => {
  test('has its check run for as long as it takes: only the work itself lingers', async () => {
    await using yard = await startYard({ lingerMs: 2_000, graceMs: 100 })
    const task = yard.add({ run: `touch up; ${untilGo}`, check: { run: 'sleep 2.5' } })
    const { run } = await yard.seen('run.started', { task })
    const one = yard.runs(task)[0]
    expect(run).toBe(one?.id)
    yard.board.recordCall({ run: one?.id ?? (0 as never), fence: one?.fence ?? 0 }, complete)
    writeFileSync(join(yard.folder, 'go'), '')

    expect(await yard.over(task)).toMatchObject({ status: 'done', failures: 0 })
    expect(yard.runs(task)).toMatchObject([{ outcome: 'done', stop: null }])
  })
})

describe('a claim that cannot be made ready', () => {
  test('is told and given up, and holds its slot no longer', async () => {
    const { yard, repo } = await startWithRepository({ onFault: () => {} })
    await using _ = yard
    writeFileSync(join(yard.home, 'runs', '0'), 'a file where a folder should be')
    const task = yard.add({ run: 'true', workspace: repo.workspace() })

    expect(await yard.over(task)).toMatchObject({ status: 'blocked', holdCode: 'launch_failed' })
    expect(yard.board.openRuns()).toEqual([])
  })

  test('goes back when it is cancelled in the moment before its setup would begin', async () => {
    using git = slowGit('ls-files')
    const { yard, repo } = await startWithRepository({ env: { PATH: `${git.folder}:${process.env.PATH}` } })
    await using _ = yard
    const task = yard.add({ run: 'touch ran', workspace: repo.workspace({ setup: { run: 'true' } }) })
    await git.begun()
    yard.board.cancelTask(task, actor)
    git.goOn()

    expect(await yard.over(task)).toMatchObject({ status: 'cancelled' })
    expect(yard.board.openRuns()).toEqual([])
  })
})

/** A git that waits at one of its commands until somebody lets it go on. */
function slowGit(command: string) {
  const folder = mkdtempSync(join(tmpdir(), 'yard-slow-git-'))
  const wait = `touch "${folder}/begun"; while [ ! -e "${folder}/go" ]; do sleep 0.01; done`
  const lines = [
    '#!/bin/sh',
    `for word in "$@"; do [ "$word" != ${command} ] || { ${wait}; }; done`,
    `PATH="\${PATH#*:}" exec git "$@"`,
  ]
  writeFileSync(join(folder, 'git'), `${lines.join('\n')}\n`)
  chmodSync(join(folder, 'git'), 0o755)
  return {
    folder,
    begun: () => until(() => existsSync(join(folder, 'begun'))),
    goOn: () => writeFileSync(join(folder, 'go'), ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setTimeout(resolve, 5))
}
