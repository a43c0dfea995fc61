import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { taskId } from '../../src/kernel/index.ts'
import { makeScratch, resolveWorkspace, type WorkspaceInput, workspacePath } from '../../src/workspaces/index.ts'

let root: string
let own: { home: string; program: string }

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'yard-workspaces-')))
  own = { home: join(root, 'state', 'yard'), program: join(root, 'lib', 'yardmaster', 'dist') }
  for (const folder of [own.home, own.program, join(root, 'project', 'src')]) mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const resolve = (input: Partial<WorkspaceInput>) =>
  resolveWorkspace(own, {
    task: taskId(5),
    kind: 'run',
    workspace: { kind: 'here' },
    dir: join(root, 'project'),
    ...input,
  })
const inDir = (path: string, kind: 'prompt' | 'run' = 'run') =>
  resolve({ kind, workspace: { kind: 'dir', path, shared: false } })
const codeOf = (resolved: ReturnType<typeof resolve>) => (resolved.ok ? resolved.path : resolved.error.code)

describe('a folder to work in', () => {
  test('here is the folder that the task was made in', () => {
    expect(resolve({})).toEqual({ ok: true, kind: 'folder', path: join(root, 'project') })
  })

  test('two names of one folder are one place', () => {
    symlinkSync(join(root, 'project'), join(root, 'alias'))
    expect(codeOf(inDir(join(root, 'alias')))).toBe(join(root, 'project'))
    expect(codeOf(inDir(join(root, 'alias', '..', 'project', 'src', '..')))).toBe(join(root, 'project'))
  })

  test('a relative, a missing and a file are told apart, each with its path and a fix', () => {
    writeFileSync(join(root, 'file'), '')
    expect(codeOf(inDir('project'))).toBe('WORKSPACES_FOLDER_RELATIVE')
    expect(codeOf(inDir(join(root, 'nowhere')))).toBe('WORKSPACES_FOLDER_MISSING')
    expect(codeOf(inDir(join(root, 'file')))).toBe('WORKSPACES_NOT_A_FOLDER')
    expect(codeOf(inDir(join(root, 'file', 'deeper')))).toBe('WORKSPACES_NOT_A_FOLDER')
    const missing = inDir(join(root, 'nowhere'))
    expect(missing.ok ? '' : `${missing.error.message} ${missing.error.fix}`).toContain(join(root, 'nowhere'))
  })

  test('of a yard that run has made for a batch, the home around it is not to be worked in, either', () => {
    const outer = own.home
    own = { ...own, home: join(outer, 'run', 'night-0123456789ab') }
    mkdirSync(own.home, { recursive: true })
    symlinkSync(outer, join(root, 'link'))
    for (const path of [own.home, outer, join(root, 'link')]) expect(codeOf(inDir(path))).toBe('WORKSPACES_IN_HOME')
    expect(codeOf(inDir(root))).toBe(root)
    expect(codeOf(inDir(root, 'prompt'))).toBe('WORKSPACES_ABOVE_HOME')
  })

  test.skipIf(process.getuid?.() === 0)('a folder that this user may not enter is named as such', () => {
    chmodSync(join(root, 'project'), 0o000)
    expect(codeOf(inDir(join(root, 'project')))).toBe('WORKSPACES_FOLDER_CLOSED')
    chmodSync(join(root, 'project'), 0o700)
  })
})

describe('folders that are not for tasks', () => {
  test('the home and all in it are refused to prompts and commands alike, by whatever name', () => {
    mkdirSync(join(own.home, 'workspaces', 'T1'), { recursive: true })
    symlinkSync(own.home, join(root, 'sneaky'))
    for (const path of [
      own.home,
      join(own.home, 'workspaces', 'T1'),
      join(root, 'sneaky'),
      join(root, 'sneaky', 'workspaces'),
    ]) {
      for (const kind of ['prompt', 'run'] as const) expect(codeOf(inDir(path, kind))).toBe('WORKSPACES_IN_HOME')
    }
  })

  test('what holds the home is refused to prompts only', () => {
    expect(codeOf(inDir(join(root, 'state'), 'prompt'))).toBe('WORKSPACES_ABOVE_HOME')
    expect(codeOf(inDir('/', 'prompt'))).toBe('WORKSPACES_ABOVE_HOME')
    expect(codeOf(inDir(join(root, 'state'), 'run'))).toBe(join(root, 'state'))
  })

  test('a sibling whose name begins like the home is no part of it', () => {
    mkdirSync(`${own.home}-other`)
    mkdirSync(join(root, 'state', '..yard'))
    expect(codeOf(inDir(`${own.home}-other`, 'prompt'))).toBe(`${own.home}-other`)
    expect(codeOf(inDir(join(root, 'state', '..yard'), 'prompt'))).toBe(join(root, 'state', '..yard'))
  })

  test('the folder this program runs from is refused to prompts only', () => {
    expect(codeOf(inDir(own.program, 'prompt'))).toBe('WORKSPACES_PROGRAM_FOLDER')
    expect(codeOf(inDir(own.program, 'run'))).toBe(own.program)
    expect(codeOf(inDir(join(root, 'project'), 'prompt'))).toBe(join(root, 'project'))
  })
})

describe('a scratch folder', () => {
  test('belongs to the task, is closed to others and is found again by a retry', () => {
    const resolved = resolve({ workspace: { kind: 'scratch' } })
    expect(resolved).toEqual({ ok: true, kind: 'scratch', path: join(own.home, 'workspaces', 'T5') })
    const path = workspacePath(own.home, taskId(5))
    expect(makeScratch(path)).toBeUndefined()
    writeFileSync(join(path, 'left'), 'by attempt 1')
    expect(makeScratch(path)).toBeUndefined()
    expect(readFileSync(join(path, 'left'), 'utf8')).toBe('by attempt 1')
  })

  test('a link or a file in its place is refused, not followed', () => {
    const path = workspacePath(own.home, taskId(6))
    mkdirSync(join(own.home, 'workspaces'))
    symlinkSync(join(root, 'project'), path)
    expect(makeScratch(path)?.code).toBe('WORKSPACES_SCRATCH_TAKEN')
    writeFileSync(workspacePath(own.home, taskId(7)), '')
    expect(makeScratch(workspacePath(own.home, taskId(7)))?.code).toBe('WORKSPACES_SCRATCH_TAKEN')
  })
})
