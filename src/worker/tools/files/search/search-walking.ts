import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import picomatch from 'picomatch'
import type { Redactor } from '../../../../kernel/index.ts'
import {
  cutAround,
  type Finding,
  type Found,
  largestSearchedBytes,
  longestMargin,
  mostFindings,
  type Wanted,
} from './finding.ts'
import { searchThreadText, type ThreadFinding, type ThreadSays, type ThreadTask } from './search-thread.ts'

/** Searches without ripgrep, in a thread that can be cut off: these paths below the root, or all that are there. */
export async function searchWalking(
  wanted: Wanted,
  paths: readonly string[] | undefined,
  signal: AbortSignal,
  maskKnown: Redactor,
): Promise<Found> {
  const thread = new Worker(searchThreadText(), {
    eval: true,
    workerData: taskFor(wanted, paths),
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const findings: Finding[] = []
  let ended: Extract<ThreadSays, { kind: 'end' }> | undefined
  let broke: Error | undefined
  thread.on('message', (said: ThreadSays) => {
    if (said.kind === 'end') ended = said
    else findings.push(...said.findings.map((each) => cutFinding(each, maskKnown)))
  })
  thread.on('error', (fault) => {
    broke = fault
  })
  const gone = once(thread, 'exit')
  const cut = () => void thread.terminate()
  signal.addEventListener('abort', cut, { once: true })
  if (signal.aborted) cut()
  await gone
  signal.removeEventListener('abort', cut)
  const more = findings.length > mostFindings
  const kept = findings.slice(0, mostFindings)
  if (broke !== undefined) return { findings: kept, end: 'broke', says: broke.message, skipped: 0 }
  if (ended === undefined) return { findings: kept, end: 'stopped', skipped: 0 }
  return { findings: kept, end: more ? 'enough' : 'all', skipped: ended.skipped }
}

function cutFinding({ path, line, text, column }: ThreadFinding, maskKnown: Redactor): Finding {
  if (line === undefined || text === undefined) return { path }
  return { path, line, text: cutAround(text, column ?? 0, maskKnown) }
}

function taskFor({ root, pattern, form, letters, glob }: Wanted, paths: readonly string[] | undefined): ThreadTask {
  const source = glob === undefined ? undefined : picomatch.makeRe(glob, { dot: true, nonegate: true })
  return {
    root,
    paths,
    glob: source?.source,
    globOn: glob?.includes('/') === true ? 'path' : 'name',
    pattern: pattern === undefined || form === 'regex' ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'),
    flags: letters === 'any_case' ? 'i' : '',
    most: mostFindings + 1, // one more says that there are more
    largestBytes: largestSearchedBytes,
    longestMargin,
  }
}
