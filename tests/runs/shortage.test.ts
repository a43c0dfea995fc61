import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import { readExitRecord, readFoldedTail, readLogParts, readReport } from '../../src/runs/index.ts'
import { makeFile } from './run-folder.ts'
import { takeDescriptors } from './take-descriptors.ts'

test('with no file descriptor left nothing is said about an end, a report or a log, instead of something wrong', () => {
  const log = makeFile('last words\n')
  const dir = dirname(log)
  writeFileSync(join(dir, 'report.json'), '{}')
  writeFileSync(join(dir, 'exit'), `7\n${' '.repeat(14)}`)
  using _ = takeDescriptors()
  expect(() => readExitRecord(dir)).toThrow('EMFILE')
  expect(() => readLogParts(log)).toThrow('EMFILE')
  expect(() => readReport(join(dir, 'report.json'), { run: runId(1), fence: 1 })).toThrow('EMFILE')
  expect(() => readFoldedTail(log, (text) => text)).toThrow('EMFILE')
})
