import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { writeHubFile } from '../../src/runs/index.ts'

const root = mkdtempSync(join(tmpdir(), 'yard-hub-file-'))
afterAll(() => rmSync(root, { recursive: true }))
let runDir: string
beforeEach(() => {
  runDir = mkdtempSync(join(root, 'run-'))
})

test('says where the hub answers, readable by us alone, and says it anew when that changes', () => {
  writeHubFile(runDir, 'http://127.0.0.1:7420')
  const file = join(runDir, 'hub')
  expect(readFileSync(file, 'utf8')).toBe('http://127.0.0.1:7420\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { ino } = statSync(file)
  writeHubFile(runDir, 'http://127.0.0.1:7420')
  expect(statSync(file).ino).toBe(ino)
  writeHubFile(runDir, 'http://127.0.0.1:40001')
  expect(readFileSync(file, 'utf8')).toBe('http://127.0.0.1:40001\n')
})

test('writes through no link, neither of the file nor of the directory, and makes no directory again', () => {
  const precious = join(root, 'precious')
  writeFileSync(precious, 'mine')
  symlinkSync(precious, join(runDir, 'hub'))
  symlinkSync(precious, join(runDir, 'hub.new'))
  writeHubFile(runDir, 'http://127.0.0.1:1')
  expect(readFileSync(precious, 'utf8')).toBe('mine')
  expect(readFileSync(join(runDir, 'hub'), 'utf8')).toBe('http://127.0.0.1:1\n')

  const elsewhere = join(root, 'elsewhere')
  mkdirSync(elsewhere)
  rmSync(runDir, { recursive: true })
  expect(() => writeHubFile(runDir, 'http://127.0.0.1:2')).toThrow(/ENOENT/)
  symlinkSync(elsewhere, runDir)
  expect(() => writeHubFile(runDir, 'http://127.0.0.1:2')).toThrow(/ENOTDIR/)
  expect(existsSync(join(elsewhere, 'hub'))).toBe(false)
  expect(existsSync(runDir)).toBe(true)
})
