import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runId } from '../../src/kernel/index.ts'
import {
  mostReportBytes,
  type RunReport,
  readExitRecord,
  readReport,
  reservedReport,
  writeReport,
} from '../../src/runs/index.ts'
import { canMount, mountSmallDisk } from '../fixtures/small-disk.ts'
import { makeFolder } from './run-folder.ts'

const own = { run: runId(12), fence: 3 }
const report: RunReport = {
  schema: 1,
  ...own,
  status: 'completed',
  reason: null,
  message: 'done, and héllo 🎉',
  retryAt: null,
  needsHuman: null,
  result: 'the answer',
  data: { files: ['a.ts'] },
  usage: { inputTokens: 10, cachedTokens: 0, outputTokens: 5, calls: 1 },
  delivery: null,
  served: true,
  turns: 2,
}

function pathOf(content?: string | Buffer): string {
  const path = join(makeFolder(), 'report.json')
  if (content !== undefined) writeFileSync(path, content)
  return path
}
const reading = (content: unknown) => readReport(pathOf(JSON.stringify(content)), own)

test('what a worker wrote is what is read, and nothing is left beside it', () => {
  const path = pathOf()
  writeReport(path, report)
  expect(readReport(path, own)).toEqual({ kind: 'report', report })
  writeReport(path, { ...report, status: 'partial' })
  expect(readReport(path, own)).toMatchObject({ report: { status: 'partial' } })
  expect(readdirSync(join(path, '..'))).toEqual(['report.json'])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test.skipIf(!canMount)(
  'a disk that is full at the end does not lose a report that fits into the room kept for it',
  () => {
    using disk = mountSmallDisk(1) ?? expect.fail('the small disk cannot be mounted any more')
    const path = join(disk.folder, 'report.json')
    writeFileSync(`${path}${reservedReport.suffix}`, reservedReport.text, { mode: 0o600 })
    disk.fill()
    expect(() => writeReport(join(disk.folder, 'other.json'), report)).toThrow('ENOSPC')

    writeReport(path, report)

    expect(readReport(path, own)).toEqual({ kind: 'report', report })
    expect(readdirSync(disk.folder).sort()).toEqual(['filler', 'report.json'])
  },
)

test('what a command has put in the place of that room is taken away, and neither followed nor waited for', () => {
  for (const lay of [
    (beside: string) => symlinkSync(join(beside, '..', 'victim'), beside),
    (beside: string) => linkSync(join(beside, '..', 'victim'), beside),
    (beside: string) => void execFileSync('mkfifo', [beside]),
  ]) {
    const path = pathOf()
    const victim = join(path, '..', 'victim')
    writeFileSync(victim, 'whole')
    lay(`${path}${reservedReport.suffix}`)

    writeReport(path, report)

    expect(readReport(path, own)).toEqual({ kind: 'report', report })
    expect(readFileSync(victim, 'utf8')).toBe('whole')
  }
})

test('a report written by hand needs four fields', () => {
  expect(reading({ schema: 1, run: 12, fence: 3, status: 'failed' })).toEqual({
    kind: 'report',
    report: {
      schema: 1,
      ...own,
      status: 'failed',
      reason: null,
      message: null,
      retryAt: null,
      needsHuman: null,
      result: null,
      data: null,
      usage: null,
      delivery: null,
      served: false,
      turns: null,
    },
  })
})

test('no report is ordinary', () => {
  expect(readReport(pathOf(), own)).toEqual({ kind: 'absent' })
})

test('a directory that is gone, or is not the one that was made, is said: whatever was reported went with it', () => {
  const folder = makeFolder()
  expect(readReport(join(folder, 'R12', 'report.json'), own)).toEqual({
    kind: 'refused',
    why: 'the directory of the attempt is gone',
  })
  const elsewhere = pathOf(JSON.stringify(report))
  symlinkSync(dirname(elsewhere), join(folder, 'R12'))
  expect(readReport(elsewhere, own).kind).toBe('report')
  expect(readReport(join(folder, 'R12', 'report.json'), own)).toEqual({
    kind: 'refused',
    why: 'something else stands where the directory of the attempt was',
  })
})

test.each([
  ['of another run', { ...report, run: 11 }, 'it is of another attempt (R11, number 3)'],
  ['with another fence', { ...report, fence: 2 }, 'it is of another attempt (R12, number 2)'],
  ['of another schema', { ...report, schema: 2 }, expect.stringContaining('schema')],
  ['with an unknown status', { ...report, status: 'great' }, expect.stringContaining('status')],
  ['with an unknown field', { ...report, retry_at: 'x' }, 'unknown field retry_at'],
  ['with text where a number belongs', { ...report, turns: 'two' }, expect.stringContaining('turns')],
  [
    'with a negative count',
    { ...report, usage: { ...report.usage, calls: -1 } },
    expect.stringContaining('usage.calls'),
  ],
  ['with a message that is too long', { ...report, message: 'x'.repeat(501) }, expect.stringContaining('message')],
  ['that is a list', [report], expect.stringContaining('object')],
  ['that is null', null, expect.stringContaining('object')],
])('a report %s is refused, and the reason is said', (_what, content, why) => {
  expect(reading(content)).toEqual({ kind: 'refused', why })
})

test.each([
  ['empty', '', 'it is not JSON'],
  ['half written', JSON.stringify(report).slice(0, -20), 'it is not JSON'],
  ['zeros', Buffer.alloc(300), 'it is not JSON'],
  ['nested deeper than any reader goes', `{"schema":${'['.repeat(120_000)}${']'.repeat(120_000)}}`, expect.any(String)],
  ['binary', Buffer.from([0xff, 0xfe, 0]), 'it is not UTF-8'],
  ['of another encoding', Buffer.from(JSON.stringify({ ...report, message: 'é' }), 'latin1'), 'it is not UTF-8'],
])('a report that is %s is refused', (_what, content, why) => {
  expect(readReport(pathOf(content), own)).toEqual({ kind: 'refused', why })
})

test('whatever bytes are there, a report is read, absent or refused, and a record says a code, never or nothing', () => {
  const path = pathOf('')
  const good = JSON.stringify(report)
  const spoilt = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.json().map((text) => Buffer.from(text)),
    fc.tuple(fc.nat(good.length), fc.string({ unit: 'binary', maxLength: 9 })).map(([at, text]) => {
      return Buffer.from(good.slice(0, at) + text + good.slice(at))
    }),
  )
  fc.assert(
    fc.property(spoilt, (bytes) => {
      writeFileSync(path, bytes)
      const read = readReport(path, own)
      if (read.kind === 'refused') expect(read.why).toMatch(/./)
      else expect(read).toMatchObject({ kind: 'report', report: own })
      writeFileSync(join(dirname(path), 'exit'), bytes)
      expect(readExitRecord(dirname(path))).toBeNull()
    }),
    { numRuns: 200 },
  )
})

test('a report that is too large is refused unread', () => {
  const path = pathOf()
  writeReport(path, report)
  truncateSync(path, 50_000_000)
  expect(readReport(path, own)).toEqual({
    kind: 'refused',
    why: `it has 50000000 bytes, more than ${mostReportBytes}`,
  })
})

test('only a file of its own is a report: no link, no folder, no pipe, no socket', async () => {
  const folder = makeFolder()
  const path = join(folder, 'report.json')
  writeReport(join(folder, 'elsewhere'), report)
  symlinkSync('elsewhere', path)
  expect(readReport(path, own)).toEqual({ kind: 'refused', why: 'it is a link' })
  rmSync(path)
  linkSync(join(folder, 'elsewhere'), path)
  expect(readReport(path, own)).toEqual({ kind: 'refused', why: 'it is a link to another file' })
  rmSync(path)
  mkdirSync(path)
  expect(readReport(path, own)).toEqual({ kind: 'refused', why: 'it is not a regular file' })
  rmSync(path, { recursive: true })
  execFileSync('mkfifo', [path])
  expect(readReport(path, own)).toEqual({ kind: 'refused', why: 'it is not a regular file' })
  rmSync(path)
  const socket = createServer().listen(path)
  await once(socket, 'listening')
  expect(readReport(path, own)).toEqual({ kind: 'refused', why: 'it is not a regular file' })
  socket.close()
})

test('a late report does not bring back a directory that was deleted', () => {
  const folder = join(makeFolder(), 'gone')
  expect(() => writeReport(join(folder, 'report.json'), report)).toThrow('ENOENT')
  expect(() => statSync(folder)).toThrow('ENOENT')
})

test('text that is too long is cut where it shows, never in the middle of a character', () => {
  const path = pathOf()
  writeReport(path, { ...report, message: 'm'.repeat(600), result: '🎉'.repeat(40_000) })
  const read = readReport(path, own)
  if (read.kind !== 'report') throw new Error(JSON.stringify(read))
  expect(read.report.message).toBe(`${'m'.repeat(499)}…`)
  expect(read.report.result).toMatch(/^🎉+\n\[cut here\]$/u)
  expect(Buffer.byteLength(read.report.result ?? '')).toBeLessThanOrEqual(64 * 1_024)
})

test('data that does not fit is refused, and the report before it stays', () => {
  const path = pathOf()
  writeReport(path, report)
  expect(() => writeReport(path, { ...report, data: 'x'.repeat(300_000) })).toThrow(
    expect.objectContaining({ code: 'RUNS_REPORT_TOO_LARGE' }),
  )
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(report)
})
