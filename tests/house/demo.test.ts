import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectedRows, findWrongRows } from '../../ops/demo/expected.mjs'
import { processesWith } from './processes.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardmaster-demo-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts `npm start` with a temporary folder of its own, by which everything of it can be found. */
function startDemo(args: readonly string[] = []) {
  const child = spawn(process.execPath, ['ops/start.mjs', ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text
    })
  }
  return { child, said: () => said, ended: once(child, 'close').then(([code]) => code as number | null) }
}

/** Branches and worktrees of the checkout that the demo is played in. */
const ofCheckout = () =>
  [['for-each-ref'], ['worktree', 'list']].map((args) => execFileSync('git', args, { encoding: 'utf8' })).join('')

/** Everything that was started for the demo carries its home in the environment. */
const left = () => processesWith(`YARDMASTER_HOME=${folder}/`)

describe('npm start', () => {
  test('plays all 13 tasks to the ends they are meant to have, in under a minute, and leaves nothing', async () => {
    const before = ofCheckout()
    const demo = startDemo()
    const code = await demo.ended

    expect([code, demo.said()]).toEqual([0, expect.stringContaining('every row ended as meant')])
    expect(demo.said()).toContain('a real yard waits 10 s to 10 min')
    expect(demo.said()).toContain('To type the commands above: npm start -- --keep')
    expect(left()).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(ofCheckout()).toBe(before)
  })

  test('with --keep stays up after the last row, and Ctrl-C ends it', async () => {
    const demo = startDemo(['--keep'])
    for await (const _text of demo.child.stdout) if (demo.said().includes('Ctrl-C ends it')) break
    expect(left().length).toBeGreaterThan(0)

    demo.child.kill('SIGINT')
    expect(await demo.ended).toBe(130)
    expect(left()).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([150, 700, 1_800, 3_500])(
    'leaves no process and complains of nothing when Ctrl-C comes after %i ms',
    async (afterMs) => {
      const demo = startDemo()
      await wait(afterMs) // any moment must do; nothing is waited for
      demo.child.kill('SIGINT')
      expect(await demo.ended).not.toBe(0)
      expect(demo.said()).not.toContain('error:')
      expect(left()).toEqual([])
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

describe('the verdict of the demo', () => {
  const meant = Object.entries(expectedRows).map(([key, { status, outcome, attempts, says }]: [string, Row]) => ({
    key,
    status,
    runs: attempts,
    last_run: { outcome, output_tail: says ?? '', result: null },
  }))

  test('is good when every row is as meant', () => {
    expect(meant).toHaveLength(13)
    expect(findWrongRows(meant)).toEqual([])
  })

  test('names the row that is not, and what of it', () => {
    const wrong = meant.map((task) => (task.key === 'killed' ? { ...task, status: 'done', runs: 2 } : task))
    expect(findWrongRows(wrong)).toEqual([
      'killed: status is done, meant was failed',
      'killed: attempts is 2, meant was 1',
    ])
  })

  test('names a row that is missing, and one that nobody asked for', () => {
    const [first, ...others] = meant
    expect(findWrongRows([...others, { ...first, key: 'stranger' }])).toEqual([
      `${first?.key} is missing from the report`,
      'stranger was not asked for',
    ])
  })
})

interface Row {
  readonly status: string
  readonly outcome: string
  readonly attempts: number
  readonly says?: string
}
