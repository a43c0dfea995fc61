import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runId, taskId } from '../../src/kernel/index.ts'
import { applyPatches, type PatchToApply } from '../../src/workspaces/index.ts'
import type { Bench } from '../figure.ts'
import { contentOf, git, makeRepository, nameOf } from './harvest.ts'

const patches = 200

/** `apply` of a whole batch: each patch merged three ways onto what the ones before have made, one commit each. */
export const applyTime: Bench = {
  figures: [
    {
      id: 'apply_200_ms',
      says: `${patches} patches of two files each onto a new branch of a repository of 5,000 files, one commit each, ms`,
      goal: { atMost: 10_000 },
    },
  ],
  needs: ['git'],
  async open() {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'yard-bench-apply-')))
    const repo = makeRepository(folder)
    const made = makePatches(folder, repo)
    let round = 0
    return {
      async measure() {
        round += 1
        const deps = { env: process.env, signal: new AbortController().signal, onOutput: () => undefined }
        const begin = performance.now()
        const applied = await applyPatches(deps, { cwd: repo, onto: `round/${round}`, patches: made, check: null })
        const took = performance.now() - begin
        if (applied.applied.length !== patches) throw new Error(JSON.stringify(applied.conflicts))
        return { apply_200_ms: took }
      },
      close: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
}

/** Each changes a line of a file of its own and one of a file that it shares with nine others. */
function makePatches(folder: string, repo: string): readonly PatchToApply[] {
  const base = git(repo, 'rev-parse', 'main')
  return Array.from({ length: patches }, (_, n) => {
    const changes = [
      { name: nameOf(n), line: 5, n },
      { name: nameOf(4_000 + Math.floor(n / 10)), line: (n % 10) * 4, n: 4_000 + Math.floor(n / 10) },
    ]
    for (const { name, line, n: number } of changes) {
      const text = contentOf(number).replace(`line${line} = ${number}\n`, `line${line} = ${number} // ${n}\n`)
      writeFileSync(join(repo, name), text)
    }
    const file = join(folder, `T${n + 1}.patch`)
    writeFileSync(file, `${git(repo, 'diff', '--binary', '--full-index')}\n`)
    git(repo, 'checkout', '-q', '.')
    return { task: taskId(n + 1), run: runId(n + 1), title: `Change ${n}`, baseCommit: base, file }
  })
}
