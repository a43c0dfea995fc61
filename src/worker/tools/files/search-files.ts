import { stat } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { cutAtWord, describeDuration } from '../../../kernel/index.ts'
import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { SearchDeps } from './file-deps.ts'
import { refuse } from './file-result.ts'
import { resolveReadable } from './inside-workspace.ts'
import { suggestPaths } from './near-paths.ts'
import type { Finding, Found, Wanted } from './search/finding.ts'
import { largestSearchedBytes, mostFindings } from './search/finding.ts'
import { listTracked } from './search/list-tracked.ts'
import { searchRipgrep } from './search/search-ripgrep.ts'
import { searchWalking } from './search/search-walking.ts'

const builtInDeadlineMs = 20_000
const mostChars = 40_000
const longestPattern = 5_000

/** What tool `search` does; loaded at its first use. */
export async function searchFiles(
  deps: SearchDeps,
  args: ToolArguments,
  { signal }: Pick<ToolOrder, 'signal'>,
): Promise<ToolResult> {
  const parsed = await parseWanted(deps, args)
  if (typeof parsed === 'string') return refuse('search', parsed)
  const deadlineMs = deps.searchDeadlineMs ?? builtInDeadlineMs
  const late = new AbortController()
  const over = new AbortController()
  deps.clock.after(deadlineMs, over.signal, () => late.abort())
  try {
    const found = await find(deps, parsed, AbortSignal.any([signal, late.signal]))
    if (typeof found === 'string') return refuse('search', found)
    return describeFound(deps, parsed, late.signal.aborted ? { ...found, end: 'deadline' } : found, deadlineMs)
  } finally {
    over.abort()
  }
}

/** A sentence where nothing here takes the pattern. */
async function find(deps: SearchDeps, wanted: Wanted, signal: AbortSignal): Promise<Found | string> {
  const fast = await searchRipgrep(deps, wanted, signal)
  if (fast !== undefined) return fast
  const fault = wanted.pattern === undefined || wanted.form === 'plain' ? undefined : faultOf(wanted.pattern)
  if (fault !== undefined) return `${fault}; with plain: true it is taken as it is`
  const paths = wanted.root === wanted.folder ? await listTracked(deps, wanted.root, signal) : undefined
  return await searchWalking(wanted, paths, signal, deps.maskKnown)
}

/** A sentence where the arguments do not make a search. */
async function parseWanted(deps: SearchDeps, args: ToolArguments): Promise<Wanted | string> {
  const pattern = textOf(args.pattern)
  const glob = textOf(args.glob)
  if (pattern === undefined && glob === undefined) return 'it takes a pattern, or a glob for names of files, or both'
  if ((pattern ?? '').length > longestPattern || (glob ?? '').length > longestPattern) {
    return `the pattern is longer than ${longestPattern} characters`
  }
  if (`${pattern}${glob}`.includes('\0')) return 'the pattern holds a zero byte'
  const form = args.plain === true ? 'plain' : 'regex'
  if (pattern !== undefined && (form === 'plain' ? /\n/ : /\n|\\n/).test(pattern)) {
    return 'files are searched line by line, so no pattern can hold a line end; search for a part within one line'
  }
  const inside = await resolveReadable(deps, textOf(args.path) ?? '.')
  if (!inside.ok) return inside.says
  const there = await stat(inside.path).catch(() => undefined)
  if (there === undefined) return `${inside.shown} is not there${await suggestPaths(deps.workspace, inside.path)}`
  if (!there.isFile() && !there.isDirectory()) return `${inside.shown} is neither a file nor a folder`
  const anyCase = form === 'regex' && pattern?.startsWith('(?i)') === true
  const letters = anyCase || args.ignore_case === true ? 'any_case' : 'as_they_are'
  const folder = there.isDirectory() ? inside.path : dirname(inside.path)
  const plainGlob = glob?.replace(/^\.?\//, '')
  return { root: inside.path, folder, pattern: anyCase ? pattern?.slice(4) : pattern, form, letters, glob: plainGlob }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Only made, never run here: running it may take for ever. */
function faultOf(pattern: string): string | undefined {
  try {
    new RegExp(pattern)
    return undefined
  } catch (fault) {
    return (fault as Error).message
  }
}

function describeFound(
  { workspace }: SearchDeps,
  wanted: Wanted,
  { findings, end, says, skipped }: Found,
  deadlineMs: number,
): ToolResult {
  const { shown, cut } = capChars(findings.map((finding) => describeFinding(workspace, finding)))
  const what = wanted.pattern === undefined ? 'files' : 'lines'
  const notes = [
    ...(cut || end === 'enough'
      ? [`the first ${shown.length} ${what}, and there are more; narrow it by path, glob or pattern`]
      : []),
    ...(end === 'deadline'
      ? [
          `ended after ${describeDuration(deadlineMs)}, before all was searched; take a simpler pattern or a smaller path`,
        ]
      : []),
    ...(end === 'stopped' ? ['stopped before all was searched'] : []),
    ...(end === 'broke' ? [`the search broke off: ${says}`] : []),
    ...(skipped === 0
      ? []
      : [
          `${skipped === 1 ? '1 file' : `${skipped} files`} of more than ${largestSearchedBytes / 1_048_576} MiB not searched`,
        ]),
  ]
  const whole = end === 'all' || end === 'enough'
  const none = shown.length === 0 ? [whole ? 'nothing found' : 'nothing found so far'] : []
  const text = [...shown, ...none, ...notes.map((note) => `[${note}]`)].join('\n')
  const for_ = JSON.stringify(cutAtWord(wanted.pattern ?? wanted.glob ?? '', 60))
  return {
    text,
    summary: `search ${for_}: ${shown.length}${end === 'enough' ? ' and more' : ''} ${what}${whole ? '' : `, ${end}`}`,
    outcome: whole ? 'ok' : 'failed', // what was not searched may hold it
    ...(whole ? {} : { counts: [`search_${end}`] }),
  }
}

function describeFinding(workspace: string, { path, line, text }: Finding): string {
  const shown = path.startsWith(`${workspace}/`) ? relative(workspace, path) : path
  return line === undefined ? shown : `${shown}:${line}: ${text}`
}

function capChars(lines: readonly string[]): { readonly shown: readonly string[]; readonly cut: boolean } {
  let chars = 0
  const shown = lines.filter((line) => {
    chars += line.length + 1
    return chars <= mostChars
  })
  return { shown, cut: shown.length < Math.min(lines.length, mostFindings) }
}
