import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readCompiled, wrapWorker } from '../../src/bin/worker-code.ts'

const built = join(import.meta.dirname, '../../dist')
const node = `${process.version} ${process.platform} ${process.arch}`

describe('what V8 has made of the worker', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'yard-code-'))
  })
  beforeEach(() => {
    rmSync(cache(), { recursive: true, force: true })
    for (const name of readdirSync(built).filter((each) => /^(?:bin\.cjs|worker.*\.c(?:js|ache))$/.test(each))) {
      cpSync(join(built, name), join(folder, name))
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const cache = () => join(folder, 'worker.cache')
  const source = () => readFileSync(join(folder, 'worker.cjs'))
  const run = () => {
    const { status, signal, stdout } = spawnSync(process.execPath, [join(folder, 'bin.cjs'), 'chat', '--help'])
    return { status, signal, says: stdout.toString().slice(0, 18) }
  }
  const works = { status: 0, signal: null, says: 'yardmaster chat -q' }

  test('is taken where it was made by this Node, wherever the folder was copied to', () => {
    const compiled = readCompiled(cache(), { source: source(), node })
    expect(compiled).toBeDefined()
    // In a process of its own: a flag that somebody has set in this one makes V8 refuse it.
    writeFileSync(join(folder, 'compiled'), compiled as Buffer)
    writeFileSync(join(folder, 'wrapped'), wrapWorker(source()))
    const look = `const { readFileSync } = require('node:fs'); const { Script } = require('node:vm')
      const cachedData = readFileSync('compiled')
      process.stdout.write(String(new Script(readFileSync('wrapped', 'utf8'), { cachedData }).cachedDataRejected))`
    expect(spawnSync(process.execPath, ['-e', look], { cwd: folder }).stdout.toString()).toBe('false')
    expect(run()).toEqual(works)
  })

  test.each([64, 500, 5_000, 100_000, 150_000])('does not end the worker where it was damaged at byte %d', (at) => {
    const bytes = readFileSync(cache())
    for (let n = at; n < at + 64; n += 1) bytes[n] = (bytes[n] ?? 0) ^ 0x5a
    writeFileSync(cache(), bytes)
    expect(run()).toEqual(works)
  })

  test('does not run instead of another worker of the same length', () => {
    const other = source().toString().replaceAll('yardmaster chat -q', 'yardmaster chat -Q')
    writeFileSync(join(folder, 'worker.cjs'), other)
    expect(run()).toEqual({ ...works, says: 'yardmaster chat -Q' })
  })

  test.each([
    ['is empty', () => writeFileSync(cache(), '')],
    ['was cut', () => writeFileSync(cache(), readFileSync(cache()).subarray(0, 100_000))],
    ['is missing', () => rmSync(cache())],
    ['is no file', () => rmSync(cache()) ?? mkdirSync(cache())],
  ])('is not needed: the worker starts where it %s', (_, spoil) => {
    spoil()
    expect(run()).toEqual(works)
  })

  test('is not taken by another release of Node, nor by the same one on another kind of machine', () => {
    for (const other of [`v20.0.0 ${process.platform} ${process.arch}`, `${process.version} linux riscv64`]) {
      expect(readCompiled(cache(), { source: source(), node: other })).toBeUndefined()
    }
  })

  test('is read from a folder in which nothing may be written', () => {
    chmodSync(folder, 0o555)
    try {
      expect(run()).toEqual(works)
    } finally {
      chmodSync(folder, 0o755)
    }
  })
})
