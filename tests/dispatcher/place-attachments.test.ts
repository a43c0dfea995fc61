import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { givenFiles, placeAttachments } from '../../src/dispatcher/place-attachments.ts'
import { removeAttachment, storeStream } from '../../src/runs/index.ts'
import { openInMemory } from '../board/open-test-board.ts'

const actor = { by: 'ana' }

function openYard() {
  const opened = openInMemory()
  const home = mkdtempSync(join(tmpdir(), 'yard-given-'))
  onTestFinished(() => {
    opened[Symbol.dispose]()
    rmSync(home, { recursive: true, force: true })
  })
  const { board } = opened
  const runDir = join(home, 'runs', '0', 'R1')
  mkdirSync(runDir, { recursive: true })
  const [made] = board.createTasks(
    { board: 'main', tasks: [{ spec: { title: 'x', prompt: 'x', dir: '/' }, lane: 'command' }] },
    actor,
  )
  if (made === undefined) throw new Error('no task')
  const task = made.task.id
  const give = async (name: string, text: string) => {
    const stored = await storeStream(home, Readable.from([Buffer.from(text)]), { mostBytes: null })
    if (!stored.ok) throw new Error(stored.why)
    const { sha256, bytes } = stored
    return board.addAttachment({ task, run: null, name, mediaType: 'text/plain', bytes, sha256 }, actor)
  }
  return { board, home, runDir, task, give }
}

test('C93 · a file from a person lies in the run directory before the work starts, readable and not writable', async () => {
  const { board, home, runDir, task, give } = openYard()
  await give('spec.pdf', 'the spec')
  await give('Pläne für morgen.txt', 'plans')
  const placed = await placeAttachments({ board, home }, { task, runDir })
  expect(placed).toEqual([
    { name: 'spec.pdf', path: join(runDir, 'attachments', 'spec.pdf'), bytes: 8 },
    { name: 'Pläne für morgen.txt', path: join(runDir, 'attachments', 'Pläne für morgen.txt'), bytes: 5 },
  ])
  expect(givenFiles({ board }, { task, runDir })).toEqual(placed)
  expect(placed.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(['the spec', 'plans'])
  expect(placed.map(({ path }) => lstatSync(path).mode & 0o777)).toEqual([0o400, 0o400])
})

test('an attempt that writes to its copy all the same changes nobody else’s', async () => {
  const { board, home, runDir, task, give } = openYard()
  const { sha256 } = await give('spec.pdf', 'the spec')
  const [file] = await placeAttachments({ board, home }, { task, runDir })
  rmSync(file?.path ?? '')
  writeFileSync(file?.path ?? '', 'changed')
  expect(readFileSync(join(home, 'attachments', sha256.slice(0, 2), sha256), 'utf8')).toBe('the spec')
})

test('where nothing was given, nothing is made', async () => {
  const { board, home, runDir, task } = openYard()
  expect(await placeAttachments({ board, home }, { task, runDir })).toEqual([])
  expect(existsSync(join(runDir, 'attachments'))).toBe(false)
})

test('asked again after a kill, or where a setup laid a link, the files are put there anew and the link is not followed', async () => {
  const { board, home, runDir, task, give } = openYard()
  await give('a.txt', 'a')
  await placeAttachments({ board, home }, { task, runDir })
  writeFileSync(join(runDir, 'attachments', 'half'), '')
  await placeAttachments({ board, home }, { task, runDir })
  expect(readdirSync(join(runDir, 'attachments'))).toEqual(['a.txt'])

  const elsewhere = join(home, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'mine'), 'mine')
  rmSync(join(runDir, 'attachments'), { recursive: true })
  symlinkSync(elsewhere, join(runDir, 'attachments'))
  await placeAttachments({ board, home }, { task, runDir })
  expect(readdirSync(elsewhere)).toEqual(['mine'])
  expect(readdirSync(join(runDir, 'attachments'))).toEqual(['a.txt'])
})

test('what is given while a setup runs is for the next attempt, and this one is not told of it', async () => {
  const { board, home, runDir, task, give } = openYard()
  await give('a.txt', 'old')
  const placed = await placeAttachments({ board, home }, { task, runDir })
  await give('a.txt', 'new, and longer')
  await give('b.txt', 'late')
  expect(givenFiles({ board }, { task, runDir })).toEqual(placed)
})

test('a file whose bytes are gone is named', async () => {
  const { board, home, runDir, task, give } = openYard()
  const { sha256 } = await give('spec.pdf', 'the spec')
  removeAttachment(home, sha256)
  await expect(placeAttachments({ board, home }, { task, runDir })).rejects.toMatchObject({
    code: 'RUNS_ATTACHMENT_GONE',
    message: expect.stringContaining('"spec.pdf"'),
  })
})
