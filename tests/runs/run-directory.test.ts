import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import { composeRunDirectory, composeRunFiles, createRunDirectory } from '../../src/runs/index.ts'
import { makeFolder } from './run-folder.ts'

test('a run has one directory, a thousand of them in each shard', () => {
  expect(composeRunDirectory('/home/yard', runId(981))).toBe('/home/yard/runs/0/R981')
  expect(composeRunDirectory('/home/yard', runId(1_000))).toBe('/home/yard/runs/1/R1000')
  expect(composeRunDirectory('/home/yard', runId(1_234_567))).toBe('/home/yard/runs/1234/R1234567')
  expect(composeRunFiles('/r')).toEqual({
    log: '/r/output.log',
    exit: '/r/exit',
    prompt: '/r/prompt.md',
    report: '/r/report.json',
    hub: '/r/hub',
  })
})

test('it is for us alone, and its exit record is prepared', () => {
  const home = makeFolder()
  const runDir = createRunDirectory(home, runId(7))
  expect(statSync(runDir).mode & 0o777).toBe(0o700)
  expect(statSync(join(runDir, '..')).mode & 0o777).toBe(0o700)
  expect(statSync(composeRunFiles(runDir).exit).mode & 0o777).toBe(0o600)
  expect(readFileSync(composeRunFiles(runDir).exit, 'utf8')).toBe(' '.repeat(16))
  expect(createRunDirectory(home, runId(8))).toBe(join(home, 'runs/0/R8'))
})

test('what another run has left is never taken over', () => {
  const home = makeFolder()
  const runDir = createRunDirectory(home, runId(7))
  writeFileSync(composeRunFiles(runDir).exit, '0\n')
  expect(() => createRunDirectory(home, runId(7))).toThrow(expect.objectContaining({ code: 'RUNS_DIRECTORY_NOT_MADE' }))
  expect(readFileSync(composeRunFiles(runDir).exit, 'utf8')).toBe('0\n')
})

test('a home that cannot be written is told with its path', () => {
  const home = makeFolder()
  writeFileSync(join(home, 'runs'), '')
  expect(() => createRunDirectory(home, runId(7))).toThrow(
    expect.objectContaining({ code: 'RUNS_DIRECTORY_NOT_MADE', message: expect.stringContaining(`${home}/runs/0/R7`) }),
  )
})
