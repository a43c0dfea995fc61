import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readLogParts, writeHubFile, writeLogParts } from '../../src/runs/index.ts'
import { makeFolder } from './run-folder.ts'

/** With somebody at its other end, so that a test that is red does not wait for ever, as the hub would. */
function layPipe(path: string): void {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
}

const part = { file: 'output.log', at: 0, from: 0, to: null }

describe('what a worker lays in the way of a file of ours is not opened', () => {
  test('a pipe where the address of the hub is written', () => {
    const folder = makeFolder()
    layPipe(join(folder, 'hub.new'))
    layPipe(join(folder, 'hub'))
    writeHubFile(folder, 'http://127.0.0.1:7420')
    expect(lstatSync(join(folder, 'hub')).isFile()).toBe(true)
    expect(readFileSync(join(folder, 'hub'), 'utf8')).toBe('http://127.0.0.1:7420\n')
    expect(statSync(join(folder, 'hub')).mode & 0o777).toBe(0o600)
  })

  test('a pipe where it is recorded what is left of a log', () => {
    const folder = makeFolder()
    layPipe(join(folder, 'output.parts.new'))
    writeLogParts(join(folder, 'output.log'), [part])
    expect(readLogParts(join(folder, 'output.log'))).toEqual([part])
  })

  test('a folder there: it says so, and nothing of it is removed', () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'hub.new', 'deep'), { recursive: true })
    expect(() => writeHubFile(folder, 'http://127.0.0.1:7420')).toThrow()
    expect(existsSync(join(folder, 'hub.new', 'deep'))).toBe(true)
    expect(existsSync(join(folder, 'hub'))).toBe(false)
  })
})
