import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHubLog } from '../../src/main/hub-log.ts'

const limitBytes = 16 * 1024 * 1024

test('the log of a hub that grew over 16 MiB is put aside at the next start, and one older one is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'yard-log-'))
  const file = join(folder, 'hub.log')
  const mask = (text: string) => text
  const writeLine = () => {
    const log = openHubLog({ mask }, file)
    log.info('hub.started')
    log.close()
  }
  writeFileSync(file, '')
  writeFileSync(`${file}.1`, 'the one before')
  truncateSync(file, limitBytes)
  writeLine()
  expect(statSync(file).size).toBeGreaterThan(limitBytes)
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('the one before')
  writeLine()
  expect(statSync(`${file}.1`).size).toBeGreaterThan(limitBytes)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2)
  expect(existsSync(`${file}.2`)).toBe(false)
  rmSync(folder, { recursive: true })
})
