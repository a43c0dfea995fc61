import picocolors from 'picocolors'
import { describe, expect, test } from 'vitest'
import { buildProgress, planLeftMs } from '../../../src/cli/progress/progress.ts'
import { progressLines } from '../../../src/cli/progress/progress-lines.ts'
import { widthOf } from '../../../src/cli/render/visible.ts'
import { aRun, aTask, nowMs } from '../a-view.ts'
import { aBatch } from '../report/a-report.ts'

const by_status = { done: 38, failed: 2, blocked: 1, cancelled: 0, running: 4, ready: 100, todo: 55 }
const live = (last_line: string) => ({ processes: 1, rss_bytes: 1, cpu_seconds: 1, last_output_at: '', last_line })
const running = [
  aTask({
    id: 5,
    key: 'lint[src/deep/folder/with/a/long/name.ts]',
    runs: 2,
    last_run: aRun({ task: 5, live: live('webpack 71 %') }),
  }),
  aTask({ id: 9, key: 'ideas[名前]', last_run: aRun({ task: 9, started_at: new Date(nowMs - 40_000).toISOString() }) }),
  aTask({ id: 10, key: null, title: 'a\nb\u001b[2J', wish: 'stop', last_run: aRun({ task: 10 }) }),
  aTask({ id: 11, key: 'x', last_run: aRun({ task: 11 }) }),
]
const progress = buildProgress({
  batch: aBatch({ verdict: null, counts: { total: 200, by_status, archived: {} } }),
  running,
  nowMs,
  pace: { ended: 41, elapsedMs: 600_000 },
  why: null,
})
const draw = (width: number, height = 40) =>
  progressLines(progress, { width, height, paint: picocolors.createColors(false) })

describe('progress on a terminal', () => {
  test.each([110, 60, 34])('of %i columns', async (width) => {
    await expect(`${draw(width).join('\n')}\n`).toMatchFileSnapshot(`golden/progress-${width}.txt`)
  })

  test('is never wider than the terminal, however narrow', () => {
    for (let width = 1; width <= 130; width += 1) {
      for (const line of draw(width)) expect(widthOf(line)).toBeLessThan(Math.max(2, width))
    }
  })

  test('is never higher than the terminal, and counts what it leaves out', () => {
    for (let height = 4; height <= 12; height += 1) expect(draw(100, height).length).toBeLessThan(height)
    expect(draw(100, 7).at(-1)).toBe('… and 2 more running')
  })

  test('shows no byte of a title or of output that could move the cursor', () => {
    expect(draw(110).join('')).not.toContain('\u001b')
  })
})

describe('how long the rest takes', () => {
  test('is not guessed from too little, nor said when nothing is left', () => {
    expect(planLeftMs({ ended: 2, elapsedMs: 10_000 }, 50)).toBeUndefined()
    expect(planLeftMs({ ended: 10, elapsedMs: 10_000 }, 0)).toBeUndefined()
  })

  test('follows the pace since we began to watch', () => {
    expect(planLeftMs({ ended: 10, elapsedMs: 60_000 }, 20)).toBe(120_000)
  })
})
