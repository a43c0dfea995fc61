import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProcessTable } from '../../src/kernel/process/index.ts'
import { startYard } from './start-yard.ts'

/** The first attempt leaves a child that hears no TERM and does not end; the second looks whether it is still there. */
const leavesChild = `
if [ -e first ]; then
  state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(cat first)/status" 2>/dev/null || true)
  case $state in ''|Z*|X*) echo gone ;; *) echo alive ;; esac > second # a zombie waits for its new parent
  exit 0
fi
(trap '' TERM; while :; do sleep 0.05; done) &
echo $! > first
wait`

test('C29: when a timeout is settled nobody of its group is left, and the next attempt starts only then', async () => {
  await using yard = await startYard({ graceMs: 100 })
  const id = yard.add({ run: leavesChild, timeoutMs: 2_500, attempts: 2 })
  const settled = yard.seen('run.settled', { task: id }).then(() => {
    const [run] = yard.runs(id)
    return [...(readProcessTable()?.values() ?? [])].filter(({ group }) => group === run?.pid).map(({ pid }) => pid)
  })
  expect(await settled).toEqual([])
  expect(yard.runs(id)[0]).toMatchObject({ outcome: 'timed_out', stopDelivered: true })
  expect(await yard.over(id)).toMatchObject({ status: 'done', runs: 2 })
  expect(readFileSync(join(yard.folder, 'second'), 'utf8')).toBe('gone\n')
})

test('what a task keeps outlives its end and its limits, and ends when a person stops it', async () => {
  await using yard = await startYard({ graceMs: 200 })
  const run =
    "setsid sh -c 'echo $$ > new-kept-$YARDMASTER_TASK; mv new-kept-$YARDMASTER_TASK kept-$YARDMASTER_TASK; exec sleep 300' & until [ -e kept-$YARDMASTER_TASK ]; do sleep 0.02; done; "
  const timedOut = yard.add({ run: `${run}exec sleep 300`, keeps: true, timeoutMs: 2_500 })
  expect(await yard.over(timedOut)).toMatchObject({ status: 'failed', holdCode: 'timed_out' })
  const kept = Number(readFileSync(join(yard.folder, `kept-T${timedOut}`), 'utf8'))
  expect(readProcessTable()?.has(kept)).toBe(true)
  process.kill(kept, 'SIGKILL')
  const stopped = yard.add({ run: `${run}touch ready; exec sleep 300`, keeps: true })
  await yard.when(stopped, ({ status }) => status === 'running')
  while (!exists(join(yard.folder, 'ready'))) await new Promise((resolve) => setTimeout(resolve, 5))
  yard.board.stopTask(stopped, 'enough', { by: 'ana' })
  expect(await yard.over(stopped)).toMatchObject({ status: 'blocked', holdCode: 'stopped' })
  expect(readProcessTable()?.has(Number(readFileSync(join(yard.folder, `kept-T${stopped}`), 'utf8')))).toBe(false)
})

test('what a task keeps ends, too, when a person cancels while its time limit is ending it', async () => {
  await using yard = await startYard({ graceMs: 60_000 })
  const keeps = "setsid sh -c 'echo $$ > new-kept; mv new-kept kept; exec sleep 300' &"
  // The sleep is asked to end, too, and commands run with -e.
  const run = `trap 'touch asked' TERM; ${keeps} until [ -e leave ]; do sleep 0.02 || true; done`
  // Long enough for it to be ready to be asked, also on a busy machine.
  const id = yard.add({ run, keeps: true, timeoutMs: 4_000 })
  while (!exists(join(yard.folder, 'asked'))) await new Promise((resolve) => setTimeout(resolve, 5))
  const kept = Number(readFileSync(join(yard.folder, 'kept'), 'utf8'))
  expect(readProcessTable()?.has(kept)).toBe(true)
  yard.board.cancelTask(id, { by: 'ana' })
  while (readProcessTable()?.has(kept)) await new Promise((resolve) => setTimeout(resolve, 5))
  writeFileSync(join(yard.folder, 'leave'), '')
  expect((await yard.over(id)).status).toBe('cancelled')
  expect(yard.runs(id)).toMatchObject([{ outcome: 'timed_out', stop: { kind: 'timeout' } }])
})

function exists(path: string): boolean {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
