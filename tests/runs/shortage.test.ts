import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import { readFoldedTail, readReport } from '../../src/runs/index.ts'

const setMostFiles = (limit: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--nofile=${limit}:`])

test('with no file descriptor left nothing is said about a report or a log, instead of something wrong', () => {
  const dir = mkdtempSync(join(tmpdir(), 'yard-shortage-'))
  const [report, log] = [join(dir, 'report.json'), join(dir, 'output.log')]
  writeFileSync(report, '{}')
  writeFileSync(log, 'last words\n')
  const before = /Max open files +(\S+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 'unlimited'
  const taken = Array.from({ length: 32 }, () => openSync('/dev/null', 'r'))
  try {
    setMostFiles(String(Math.max(...taken) + 1))
    for (let full = false; !full; ) {
      try {
        taken.push(openSync('/dev/null', 'r'))
      } catch {
        full = true // now every number below the limit is in use
      }
    }
    expect(() => readReport(report, { run: runId(1), fence: 1 })).toThrow('EMFILE')
    expect(() => readFoldedTail(log, (text) => text)).toThrow('EMFILE')
  } finally {
    for (const descriptor of taken) closeSync(descriptor)
    setMostFiles(before)
    rmSync(dir, { recursive: true })
  }
})
