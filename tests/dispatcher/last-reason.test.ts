import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/board/index.ts'
import { readLastReason } from '../../src/dispatcher/last-reason.ts'
import { runId, taskId } from '../../src/kernel/index.ts'
import { createRunDirectory, writeReport } from '../../src/runs/index.ts'
import { makeFolder } from '../runs/run-folder.ts'

const task = taskId(3)
const ran = (id: number, startedAtMs: number | null = 1) => ({ id: runId(id), fence: id + 1, startedAtMs }) as Run
const last = (home: string, runs: readonly Run[], run: number) =>
  readLastReason({ board: { runsOf: () => runs }, home }, { task, run: runId(run) })

function reported(home: string, id: number, reason: string, fence = id + 1): void {
  const folder = createRunDirectory(home, runId(id))
  writeReport(join(folder, 'report.json'), {
    schema: 1,
    run: runId(id),
    fence,
    status: 'wall',
    reason,
    message: null,
    retryAt: null,
    needsHuman: null,
    result: null,
    data: null,
    usage: null,
    served: false,
    turns: null,
  })
}

test('an attempt is told why the one before it ended, as its report says', () => {
  const home = makeFolder()
  reported(home, 4, 'rate_limit')
  reported(home, 7, 'dns')
  const runs = [ran(7), ran(4), ran(8, null), ran(9)]

  expect(last(home, runs, 9)).toBe('dns')
  expect(last(home, runs, 7)).toBe('rate_limit')
})

test('and nothing where it is the first, or no report of the one before can be used', () => {
  const home = makeFolder()
  reported(home, 4, 'dns', 99)

  expect(last(home, [ran(4)], 4)).toBeNull()
  expect(last(home, [ran(4), ran(5)], 5)).toBeNull()
  expect(last(home, [ran(6), ran(7)], 7)).toBeNull()
})
