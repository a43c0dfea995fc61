import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BatchReportView } from '../../api/contract/index.ts'
import { makeFolder, systemRandom } from '../../kernel/index.ts'
import { buildReport } from './build-report.ts'
import { homeNote } from './home-note.ts'
import { renderJUnit } from './render-junit.ts'
import { renderMarkdown } from './render-markdown.ts'
import { reportJson } from './report-json.ts'

export interface ReportFilesInput {
  /** Absolute; made where it is missing. */
  readonly dir: string
  readonly view: BatchReportView
  readonly files: ReadonlyMap<string, string>
  /** Set where the batch has a home of its own, which the other verbs must be told. */
  readonly privateHome?: string | undefined
  /** This folder as a person types it, where `apply` is to take its patches from here. */
  readonly applyFrom?: string | undefined
}

export const reportFileNames = ['report.md', 'report.json', 'junit.xml'] as const

/**
 * Writes report.md, report.json and junit.xml, each by rename: whoever reads one, and whatever kills us, finds the
 * whole of the last one written. Throws what the file system says.
 */
export function writeReportFiles({ dir, view, files, privateHome, applyFrom }: ReportFilesInput): void {
  makeFolder(dir)
  const report = buildReport(view, { applyFrom })
  const texts: Readonly<Record<(typeof reportFileNames)[number], string>> = {
    'report.md': renderMarkdown(report) + (privateHome === undefined ? '' : homeNote(report, privateHome)),
    'report.json': `${JSON.stringify(reportJson(view, report), undefined, 2)}\n`,
    'junit.xml': renderJUnit({ view, files }),
  }
  for (const name of reportFileNames) replaceFile(join(dir, name), texts[name])
}

function replaceFile(path: string, text: string): void {
  const draft = `${path}.${systemRandom.hex(4)}`
  try {
    writeFileSync(draft, text)
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}
