import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeReportFiles } from '../../../src/cli/report/index.ts'
import { aNight } from './a-report.ts'

test('three files are written whole, over older ones, and nothing else is left in the folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'yard-report-'))
  try {
    const place = { dir: join(dir, 'out', 'deep'), files: new Map<string, string>() }
    writeReportFiles({ ...place, view: aNight() })
    writeReportFiles({ ...place, view: { ...aNight(), tasks: [] } })
    expect(readdirSync(place.dir).sort()).toEqual(['junit.xml', 'report.json', 'report.md'])
    expect(JSON.parse(readFileSync(join(place.dir, 'report.json'), 'utf8')).tasks).toEqual([])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
