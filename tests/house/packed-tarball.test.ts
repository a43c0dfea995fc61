import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * Installs without scripts and takes the compiled add-on from this checkout, because compiling it takes a minute;
 * `.ci/run` does it in full on both Nodes (ops/install-tarball.mjs).
 */
describe('the packed tarball, installed globally into an empty prefix', () => {
  let folder: string
  const env = () => ({ ...process.env, YARDMASTER_HOME: join(folder, 'home'), NODE_EXTRA_CA_CERTS: undefined })
  const run = (command: string, args: readonly string[], cwd = folder) =>
    execFileSync(command, args, { cwd, env: env(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const installed = (path: string) => join(folder, 'prefix', 'lib', 'node_modules', 'yardmaster', path)

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'yardmaster-packed-'))
    mkdirSync(join(folder, 'prefix'))
    const [packed] = JSON.parse(
      run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], resolve('.')),
    )
    const globalConfig = run('npm', ['config', 'get', 'globalconfig'], resolve('.')).trim()
    const flags = [
      '--globalconfig',
      globalConfig,
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--prefix',
      join(folder, 'prefix'),
    ]
    run('npm', ['install', '--global', ...flags, join(folder, packed.filename)])
    const addOn = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
    mkdirSync(join(installed(addOn), '..'), { recursive: true })
    cpSync(resolve(addOn), installed(addOn))
  }, 600_000)

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(['yardmaster', 'ym'])('answers its version as %s', (bin) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(run(join(folder, 'prefix', 'bin', bin), ['--version']).trim()).toBe(version)
  })

  test('runs a batch of two tasks from an empty folder', () => {
    mkdirSync(join(folder, 'work'))
    writeFileSync(
      join(folder, 'work', 'two.yaml'),
      'tasks: { one: { run: echo one }, two: { needs: one, run: [echo, two] } }\n',
    )
    run(join(folder, 'prefix', 'bin', 'yardmaster'), ['run', 'two.yaml', '--report', 'out'], join(folder, 'work'))
    expect(readFileSync(join(folder, 'work', 'out', 'junit.xml'), 'utf8')).toMatch(/tests="2"/)
  })

  test('brings licence, read-me, changelog and examples, and neither sources nor tests', () => {
    const there = ['LICENSE', 'README.md', 'CHANGELOG.md', 'examples/demo/demo.yaml', 'dist/bin.cjs']
    const notThere = ['src', 'tests', 'ops', 'dist-test']
    expect(there.filter((path) => !existsSync(installed(path)))).toEqual([])
    expect(notThere.filter((path) => existsSync(installed(path)))).toEqual([])
  })
})
