import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createValueMask, systemClock } from '../../../../src/kernel/index.ts'
import { createFileRegister } from '../../../../src/worker/tools/files/file-register.ts'
import { createPatchTool } from '../../../../src/worker/tools/files/patch-tool.ts'
import { createReadTool } from '../../../../src/worker/tools/files/read-file.ts'
import { createSearchTool } from '../../../../src/worker/tools/files/search-tool.ts'
import { createWriteTool } from '../../../../src/worker/tools/files/write-file.ts'
import { runTool } from '../../../../src/worker/tools/run-tool.ts'

interface DeskOptions {
  readonly given?: string
  readonly secrets?: readonly string[]
  readonly searchDeadlineMs?: number
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** A workspace with the file tools of one worker. */
export function openFileDesk({ given, secrets = [], searchDeadlineMs, env }: DeskOptions = {}) {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'yardmaster-files-')))
  const workspace = join(outside, 'workspace')
  mkdirSync(workspace)
  const stop = new AbortController()
  const deps = {
    clock: systemClock,
    workspace,
    given: given === undefined ? undefined : join(outside, given),
    register: createFileRegister(),
    maskKnown: createValueMask(secrets),
    env: env ?? { PATH: process.env.PATH },
    boardWorker: false,
    knownSecrets: secrets,
    searchDeadlineMs,
  }
  const tools = [createReadTool(deps), createWriteTool(deps), createPatchTool(deps), createSearchTool(deps)]
  const use = (name: string, args: object) =>
    runTool(
      tools,
      { id: 'c', name, argumentsText: JSON.stringify(args) },
      { signal: stop.signal, attention: new AbortController().signal },
    )
  const at = (path: string) => join(workspace, path)
  return {
    outside,
    workspace,
    stop,
    tools,
    use,
    at,
    put(path: string, content: string | Buffer) {
      makeFolders(dirname(at(path)))
      writeFileSync(at(path), content)
    },
    text: (path: string) => readFileSync(at(path), 'utf8'),
    names: (path = '.') => readdirSync(at(path)).toSorted(),
    read: (path: string, more: object = {}) => use('read', { path, ...more }),
    write: (path: string, content: string) => use('write', { path, content }),
    replace: (path: string, old: string, next: string, more: object = {}) =>
      use('patch', { path, old, new: next, ...more }),
    patch: (patch: string) => use('patch', { patch }),
    search: (args: object) => use('search', args),
    close: () => rmSync(outside, { recursive: true, force: true }),
    [Symbol.dispose]() {
      rmSync(outside, { recursive: true, force: true })
    },
  }
}

function makeFolders(path: string): void {
  mkdirSync(path, { recursive: true })
}
