import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { taskId } from '../../src/kernel/index.ts'
import { makeScratch, workspacePath } from '../../src/workspaces/index.ts'
import { type AHome, aHome } from './a-home.ts'

/** Cards that were cancelled before they ran, each with a folder of its own. */
async function withScratch(yard: AHome, ...ids: readonly number[]): Promise<void> {
  for (const id of ids) {
    await yard.type('add', `task ${id}`, '--', 'true')
    makeScratch(workspacePath(yard.home, taskId(id)))
    writeFileSync(join(workspacePath(yard.home, taskId(id)), 'notes.md'), 'x'.repeat(5_000))
  }
}
const folder = (yard: AHome, id: number) => workspacePath(yard.home, taskId(id))

describe('clean', () => {
  test('tells what would go and what stays, with size and reason, and what to type then', async () => {
    await using yard = aHome()
    await withScratch(yard, 1, 2)
    await yard.type('cancel', 'T1')
    mkdirSync(join(yard.home, 'workspaces', 'mine'))
    const { out, code } = await yard.type('clean', '--dry-run')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^T1 +scratch +12 KiB +stays +kept until .* \(keep\)\nT2 +scratch .* stays +its task is not over \(ready\)\n/,
    )
    expect(out).toMatch(/mine +foreign .* stays +not a folder that we have made there\nNothing would go. .*clean T1\n$/)
    const named = await yard.type('clean', 'T1', '--status', 'cancelled', '--dry-run')
    expect(named.out).toMatch(/1 workspace, 12 KiB would go: yardmaster clean T1 --status cancelled\.\n$/)
    const { workspaces } = JSON.parse((await yard.type('clean', '--dry-run', '--json')).out)
    expect(workspaces[0]).toMatchObject({ task: 1, kind: 'scratch', done: 'stays', because: 'young', bytes: 12_288 })
  })

  test('takes away at once what is named, without a hub too, and asks before what nobody can bring back', async () => {
    await using yard = aHome()
    await withScratch(yard, 1, 2)
    await yard.type('cancel', 'T1')
    const asked = await yard.type('clean', 'T1')
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('CLI_NEEDS_YES') })
    expect(existsSync(folder(yard, 1))).toBe(true)
    const { out, code } = await yard.type('clean', 'T1', '-y')
    expect({ out, code }).toEqual({
      code: 0,
      out: 'T1  scratch  12 KiB  removed  a scratch folder\nRemoved 1 workspace, 12 KiB.\n',
    })
    expect([existsSync(folder(yard, 1)), existsSync(folder(yard, 2))]).toEqual([false, true])
    expect(readdirSync(join(yard.home, 'trash'))).toEqual([]) // its room is free: no hub will come and empty it
    expect(await yard.type('clean')).toMatchObject({ code: 0, err: 'Nothing to remove.\n' })
  })

  test('does not name a folder that stays whatever is said as one that could go', async () => {
    await using yard = aHome()
    await yard.type('add', 'one', '--', 'true')
    await yard.type('cancel', 'T1')
    mkdirSync(join(yard.home, 'workspaces', 'T1'), { recursive: true })
    const { out } = await yard.type('clean', '--dry-run')
    expect(out).toMatch(/^T1 +foreign .*not a folder that we have made there\nNothing would go\.\n$/)
  })

  test('what is no task, or a flag that it does not have, is an error, and nothing goes', async () => {
    await using yard = aHome()
    await withScratch(yard, 1)
    expect((await yard.type('clean', 'T99', '-y')).code).toBe(2)
    expect((await yard.type('clean', '--force')).code).toBe(2)
    expect(existsSync(folder(yard, 1))).toBe(true)
    expect(execFileSync('ls', [folder(yard, 1)], { encoding: 'utf8' })).toBe('notes.md\n')
  })
})
