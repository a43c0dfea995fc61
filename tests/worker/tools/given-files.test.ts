import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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
  readonly given?: string
}

function toolsWith({ given }: Options) {
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
  return createTools({ ...shared, commands, surroundings, given, maskKnown: createValueMask([]) })
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
