import { appendFileSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import type { BatchReportView } from '../../api/contract/index.ts'
import { saySystemFault } from '../../kernel/index.ts'
import type { Output } from '../command.ts'
import type { Report } from '../report/index.ts'
import { planAnnotations } from './annotations.ts'
import type { GithubRunner } from './github-runner.ts'
import { renderStepSummary } from './step-summary.ts'
import { annotationLine } from './workflow-command.ts'

export interface TellInput {
  readonly view: BatchReportView
  readonly report: Report
  /** Paths of source files by row key, relative to `dir` where they are not absolute. */
  readonly files: ReadonlyMap<string, string>
  /** Absolute folder of the batch file. */
  readonly dir: string
}

/** GitHub takes no summary of a step that is larger, all that the step wrote into the file counted. */
export const mostSummaryBytes = 1024 * 1024

/**
 * Tells a GitHub runner how a batch ended: a summary, added to that of the step by one write, so that a kill leaves all of
 * it or nothing; and at most ten annotations. What the runner does not take is remarked on `err` and changes no verdict.
 */
export function tellGithub(
  { runner, err, commands }: { readonly runner: GithubRunner; readonly err: Output; readonly commands: Output },
  { view, report, files, dir }: TellInput,
): void {
  const fileOf = (key: string) => pathInCheckout(files.get(key), { dir, workspace: runner.workspace })
  for (const annotation of planAnnotations({ view, report, fileOf })) commands.write(`${annotationLine(annotation)}\n`)
  if (runner.summaryFile === undefined) return
  try {
    const before = statSync(runner.summaryFile, { throwIfNoEntry: false })?.size ?? 0
    // An empty line first: what the step wrote before may end in the middle of one.
    const start = before === 0 ? '' : '\n\n'
    const text = renderStepSummary({ view, report, roomBytes: mostSummaryBytes - before - start.length })
    if (text === undefined) err.write('No room is left in the summary of this step; the report is in its files.\n')
    else appendFileSync(runner.summaryFile, start + text)
  } catch (cause) {
    err.write(`The summary of this step could not be written: ${saySystemFault(cause)}\n`)
  }
}

/** Annotations name files below the checkout; of one outside it nothing could be shown. */
export function pathInCheckout(
  file: string | undefined,
  { dir, workspace }: { readonly dir: string; readonly workspace: string | undefined },
): string | undefined {
  if (file === undefined || workspace === undefined) return undefined
  const path = relative(workspace, resolve(dir, file))
  return path === '' || path === '..' || path.startsWith('../') || isAbsolute(path) ? undefined : path
}
