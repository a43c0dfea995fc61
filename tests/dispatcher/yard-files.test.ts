import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { TaskId } from '../../src/kernel/index.ts'
import { composeRunDirectory, openAttachment, removeAttachment, storeStream } from '../../src/runs/index.ts'
import { actor, startYard, type Yard } from './start-yard.ts'

/** Text-form command that leaves a report with these artifacts. */
const reportOf = (...artifacts: readonly { path: string; name?: string }[]) =>
  `printf '{"schema":1,"run":%s,"fence":%s,"status":"completed","artifacts":${JSON.stringify(artifacts)}}' \
    "\${YARDMASTER_RUN#R}" "$YARDMASTER_FENCE" > "$YARDMASTER_REPORT.new"; mv "$YARDMASTER_REPORT.new" "$YARDMASTER_REPORT"`

/** Gives a file with a task that waits behind a hold, and lets it go. */
async function give(yard: Yard, task: TaskId, name: string, text: string): Promise<string> {
  const stored = await storeStream(yard.home, Readable.from([Buffer.from(text)]), { mostBytes: null })
  if (!stored.ok) throw new Error(stored.why)
  const { sha256, bytes } = stored
  yard.board.addAttachment({ task, run: null, name, mediaType: 'text/plain', bytes, sha256 }, actor)
  return sha256
}

async function textOf(home: string, sha256: string): Promise<string | undefined> {
  const handle = await openAttachment(home, sha256)
  const text = await handle?.readFile('utf8')
  await handle?.close()
  return text
}

describe('a task with files', () => {
  test('C93 · its attempt reads what a person gave and hands a screenshot back; both outlive its folder', async () => {
    await using yard = await startYard()
    const task = yard.add(
      {
        run: `cat "$YARDMASTER_ATTACHMENTS/spec.pdf" > shot.png; ${reportOf({ path: 'shot.png' })}`,
        workspace: { kind: 'scratch' },
      },
      { draft: true },
    )
    await give(yard, task, 'spec.pdf', 'the spec')
    yard.board.readyTask(task, actor)
    expect(await yard.over(task)).toMatchObject({ status: 'done' })
    expect(yard.board.attachmentsOf(task)).toMatchObject([
      { name: 'spec.pdf', run: null, by: 'ana' },
      { name: 'shot.png', run: 1, by: 'R1', mediaType: 'image/png', bytes: 8 },
    ])
    rmSync(join(yard.home, 'workspaces'), { recursive: true })
    rmSync(join(yard.home, 'runs'), { recursive: true })
    const [spec, shot] = yard.board.attachmentsOf(task)
    expect(await textOf(yard.home, spec?.sha256 ?? '')).toBe('the spec')
    expect(await textOf(yard.home, shot?.sha256 ?? '')).toBe('the spec')
  })

  test('without files there is no folder and no variable', async () => {
    await using yard = await startYard()
    const task = yard.add({
      run: `[ -z "\${YARDMASTER_ATTACHMENTS+x}" ] && [ ! -e "$YARDMASTER_RUN_DIR/attachments" ]`,
    })
    expect(await yard.over(task)).toMatchObject({ status: 'done' })
  })

  test('the prompt names them, and each attempt gets copies of its own', async () => {
    await using yard = await startYard({
      lanes: {
        agent: {
          command: [
            'bash',
            '-c',
            'f="$YARDMASTER_ATTACHMENTS/a.txt"; cat "$f" >> seen; rm -f "$f"; exit $(( $(wc -l < seen) < 2 ))',
          ],
        },
      },
    })
    const task = yard.add({ prompt: 'Read it.', workspace: { kind: 'scratch' } }, { draft: true, lane: 'agent' })
    const sha256 = await give(yard, task, 'a.txt', 'a line\n')
    yard.board.readyTask(task, actor)
    expect(await yard.over(task)).toMatchObject({ status: 'done', runs: 2 })
    const prompt = readFileSync(
      join(composeRunDirectory(yard.home, yard.runs(task)[1]?.id as never), 'prompt.md'),
      'utf8',
    )
    const path = join(composeRunDirectory(yard.home, yard.runs(task)[1]?.id as never), 'attachments', 'a.txt')
    expect(prompt).toContain(`# Files given with this task\n`)
    expect(prompt).toContain(`${path} (7 B)`)
    expect(await textOf(yard.home, sha256)).toBe('a line\n')
  })

  test('one whose bytes are gone starts nothing: it waits for a person, who is told which', async () => {
    const faults: string[] = []
    await using yard = await startYard({ onFault: (event) => faults.push(event) })
    const task = yard.add({ run: 'touch ran' }, { draft: true })
    removeAttachment(yard.home, await give(yard, task, 'spec.pdf', 'the spec'))
    yard.board.readyTask(task, actor)
    expect(await yard.over(task)).toMatchObject({
      status: 'blocked',
      holdText: expect.stringContaining('the file "spec.pdf" is on the card, and its bytes are not in the store'),
    })
    expect(existsSync(join(yard.folder, 'ran'))).toBe(false)
    expect(faults).toEqual(['run.not_given_files'])
  })
})

describe('artifacts that a report names', () => {
  test('C53 · one that is not there lowers what would be done, the next attempt reads which, and mends it', async () => {
    await using yard = await startYard({
      lanes: {
        agent: {
          command: [
            'bash',
            '-c',
            `[ -e second ] && echo x > report.pdf; touch second; ${reportOf({ path: 'report.pdf' })}`,
          ],
        },
      },
    })
    const task = yard.add({ prompt: 'Write the report.', workspace: { kind: 'scratch' } }, { lane: 'agent' })
    expect(await yard.over(task)).toMatchObject({ status: 'done', runs: 2 })
    expect(yard.runs(task)).toMatchObject([
      { outcome: 'incomplete', reason: expect.stringContaining('artifact missing: "report.pdf"') },
      { outcome: 'done' },
    ])
    const prompt = readFileSync(
      join(composeRunDirectory(yard.home, yard.runs(task)[1]?.id as never), 'prompt.md'),
      'utf8',
    )
    expect(prompt).toContain('artifact missing: "report.pdf"')
    expect(yard.board.attachmentsOf(task)).toMatchObject([{ name: 'report.pdf', run: 2 }])
  })

  test('C92 · one of 26 MB is recorded as too large, and the others are kept', async () => {
    await using yard = await startYard()
    const task = yard.add({
      run: `truncate -s 26M big.bin; echo small > small.txt; ${reportOf({ path: 'big.bin' }, { path: 'small.txt' })}`,
      attempts: 1,
    })
    await yard.over(task)
    expect(yard.runs(task)[0]).toMatchObject({
      outcome: 'incomplete',
      reason: expect.stringContaining('artifact too large (more than 25 MiB): "big.bin"'),
    })
    expect(yard.board.attachmentsOf(task).filter(({ run }) => run === 1)).toMatchObject([
      { name: 'small.txt', bytes: 6 },
    ])
  })

  test('of an attempt that failed are kept as well', async () => {
    await using yard = await startYard()
    const task = yard.add({ run: `echo why > trace.log; ${reportOf({ path: 'trace.log' })}; exit 3`, attempts: 1 })
    expect(await yard.over(task)).toMatchObject({ status: 'failed' })
    expect(yard.runs(task)).toMatchObject([{ outcome: 'failed', exitCode: 3 }])
    expect(yard.board.attachmentsOf(task)).toMatchObject([{ name: 'trace.log', run: 1 }])
  })

  test('the home’s token is not handed out, whatever the report says', async () => {
    await using yard = await startYard()
    writeFileSync(join(yard.home, 'token'), 'secret')
    mkdirSync(join(yard.folder, 'x'))
    const task = yard.add({
      run: `ln -s ${yard.home}/token t; ${reportOf({ path: 't' }, { path: join(yard.home, 'token') })}`,
      attempts: 1,
    })
    await yard.over(task)
    expect(yard.runs(task)[0]).toMatchObject({
      outcome: 'incomplete',
      reason: expect.stringContaining('artifact outside'),
    })
    expect(yard.board.attachmentsOf(task)).toEqual([])
  })
})
