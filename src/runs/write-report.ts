import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { runsError } from './errors.ts'
import { mostMessageCharacters, mostReportBytes, mostResultBytes, type RunReport } from './report.ts'

/**
 * Room for a report, put beside its place before the work begins: a disk that is full at the end cannot lose what a report of
 * this size says. Blanks, which are no report.
 */
export const reservedReport = { suffix: '.new', text: ' '.repeat(32_768) } as const

/**
 * Puts the report in place by rename, so that a reader sees all of it or none. Message and result are cut to what a
 * report may hold, the cut marked; where it is still too large, what matters least is left out, one after the other. A
 * directory that is gone is not made again: the write fails with ENOENT. Throws `RUNS_REPORT_TOO_LARGE` for `data` that
 * does not fit even alone.
 */
export function writeReport(path: string, report: RunReport): void {
  const text = fitted({
    ...report,
    message: report.message === null ? null : cutCharacters(report.message, mostMessageCharacters),
    result: report.result === null ? null : cutBytes(report.result, mostResultBytes),
  })
  const beside = `${path}${reservedReport.suffix}`
  try {
    if (!fillReserved(beside, text)) {
      rmSync(beside, { force: true })
      writeFileSync(beside, text, { flag: 'wx', mode: 0o600 })
    }
    renameSync(beside, path)
  } catch (fault) {
    rmSync(beside, { force: true })
    throw fault
  }
}

/** In place, so that its room is not given back first. False: there is none, or what a command of the worker has put there. */
function fillReserved(path: string, text: string): boolean {
  const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.nlink !== 1) return false
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at, bytes.length - at, at)
    ftruncateSync(descriptor, bytes.length)
    return true
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** What only explains a run, the least of it first. What decides it is never left out. */
const leastFirst = ['left', 'counts', 'error'] as const

function fitted(report: RunReport): string {
  let text = JSON.stringify(report)
  for (const [index] of leastFirst.entries()) {
    if (Buffer.byteLength(text) <= mostReportBytes) break
    text = JSON.stringify({
      ...report,
      ...Object.fromEntries(leastFirst.slice(0, index + 1).map((name) => [name, null])),
    })
  }
  const bytes = Buffer.byteLength(text)
  if (bytes > mostReportBytes) throw runsError('RUNS_REPORT_TOO_LARGE', { bytes, mostBytes: mostReportBytes })
  return text
}

const cutMark = '\n[cut here]'

function cutCharacters(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  // A character cut in two would decode to a replacement mark: taken off.
  return bytes.toString('utf8', 0, most - cutMark.length).replace(/\uFFFD$/, '') + cutMark
}
