import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createValueMask, systemClock } from '../../../src/kernel/index.ts'
import { runTool } from '../../../src/worker/tools/run-tool.ts'
import { createCommandDesk } from '../../../src/worker/tools/terminal/command-desk.ts'
import { createTools } from '../../../src/worker/tools/tool-set.ts'

let outside: string
let workspace: string

beforeEach(() => {
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'yardmaster-tools-')))
  workspace = join(outside, 'workspace')
  mkdirSync(workspace)
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
})

interface Options {
  readonly handedBack?: string[]
  readonly given?: string
}

function toolsWith({ handedBack, given }: Options) {
  const env = { PATH: process.env.PATH, YARDMASTER_ATTACHMENTS: given }
  const surroundings = { env, boardWorker: given !== undefined, knownSecrets: [] }
  const shared = { clock: systemClock, workspace, knownSecrets: [] }
  const commands = createCommandDesk({
    ...shared,
    ...surroundings,
    log: () => {},
    commandTimeoutMs: 10_000,
    spillFolder: join(outside, 'outputs'),
    spilled: 'removed',
    heartbeatMs: 0,
  })
  return createTools({ ...shared, commands, surroundings, given, handedBack, maskKnown: createValueMask([]) })
}

async function use(options: Options, name: string, args: object): Promise<string> {
  const order = { signal: new AbortController().signal, attention: new AbortController().signal }
  const call = { id: 'c', name, argumentsText: JSON.stringify(args) }
  return (await runTool(toolsWith(options), call, order)).text
}

test('C93 · files that people gave are read by commands through their folder', async () => {
  const given = join(outside, 'given')
  mkdirSync(given)
  writeFileSync(join(given, 'spec.txt'), 'the spec\n')

  expect(await use({ given }, 'terminal', { command: 'cat "$YARDMASTER_ATTACHMENTS/spec.txt"' })).toContain('the spec')
})

test('C93 · a file of the workspace is noted for the report, once', async () => {
  const handedBack: string[] = []
  writeFileSync(join(workspace, 'shot.png'), 'pixels')

  const says = 'shot.png is handed back with your answer (6 B)'
  expect(await use({ handedBack }, 'hand_back', { path: 'shot.png' })).toBe(says)
  expect(await use({ handedBack }, 'hand_back', { path: './shot.png' })).toBe(says)
  expect(handedBack).toEqual([join(workspace, 'shot.png')])
})

test.each([
  ['a file that is not there', 'gone', 'gone is not there'],
  ['an empty file', 'empty', 'empty is empty'],
  ['a folder', 'folder', 'folder is no file'],
  ['C92 · a file of 26 MB', 'big.bin', 'big.bin is too large: it has 26 MiB, more than 25 MiB'],
  ['a file outside', '../secret', 'outside the workspace'],
  ['a link that leads out', 'link', 'outside the workspace'],
])('%s is not handed back, and the reason is said', async (_, path, says) => {
  const handedBack: string[] = []
  writeFileSync(join(outside, 'secret'), 'secret')
  symlinkSync(join(outside, 'secret'), join(workspace, 'link'))
  mkdirSync(join(workspace, 'folder'))
  writeFileSync(join(workspace, 'empty'), '')
  writeFileSync(join(workspace, 'big.bin'), '')
  truncateSync(join(workspace, 'big.bin'), 26 * 1_024 * 1_024)

  expect(await use({ handedBack }, 'hand_back', { path })).toContain(says)
  expect(handedBack).toEqual([])
})

test('handing back is offered to whom a board has started, and to nobody else', () => {
  const names = (options: Options) => toolsWith(options).map(({ name }) => name)
  expect(names({})).toEqual(['terminal', 'process', 'read', 'write', 'patch', 'search'])
  expect(names({ handedBack: [] })).toEqual([...names({}), 'hand_back'])
})
