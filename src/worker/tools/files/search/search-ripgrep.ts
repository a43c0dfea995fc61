import { isFields, type Redactor } from '../../../../kernel/index.ts'
import type { CommandSurroundings } from '../../terminal/command-environment.ts'
import { cutAround, type Finding, type Found, mostFindings, type Wanted } from './finding.ts'
import { startFinder } from './start-finder.ts'

/** Exit codes of ripgrep: 0 found, 1 nothing found, 2 something went wrong, also if more was found. */
const wrong = 2
/** A single line may be as long as a file; what cannot be kept of it is not kept. */
const mostPendingBytes = 64 * 1024 * 1024

/**
 * Searches with ripgrep. Undefined where it is not there, is another program of that name, or does not take the pattern:
 * then it is searched without it.
 */
export async function searchRipgrep(
  deps: CommandSurroundings & { readonly maskKnown: Redactor },
  wanted: Wanted,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const findings: Finding[] = []
  let isForeign = false
  const hear = (line: Buffer) => {
    const finding = wanted.pattern === undefined ? { path: line.toString('utf8') } : parseRow(line, deps.maskKnown)
    if (finding === 'foreign') isForeign = true
    else if (finding !== 'no_match') findings.push(finding)
  }
  let pending: Buffer[] = []
  let pendingBytes = 0
  const separator = wanted.pattern === undefined ? 0 : 10
  const order = { file: 'rg', args: argumentsFor(wanted), cwd: wanted.folder, signal }
  const ended = await startFinder(deps, order, (chunk) => {
    let rest = chunk
    for (let at = rest.indexOf(separator); at >= 0; at = rest.indexOf(separator)) {
      hear(Buffer.concat([...pending, rest.subarray(0, at)]))
      pending = []
      pendingBytes = 0
      rest = rest.subarray(at + 1)
      if (findings.length > mostFindings || isForeign) return 'enough'
    }
    pendingBytes += rest.length
    pending.push(rest)
    return pendingBytes > mostPendingBytes ? 'enough' : 'more'
  })
  if (ended === undefined || isForeign) return undefined
  if (ended.code !== undefined && pendingBytes > 0) return undefined // ripgrep ends each row
  if (ended.code === wrong && findings.length === 0) return undefined
  const end = findings.length > mostFindings ? 'enough' : ended.code === undefined ? 'stopped' : 'all'
  return { findings: findings.slice(0, mostFindings), end, skipped: 0 }
}

function argumentsFor({ root, pattern, form, letters, glob }: Wanted): readonly string[] {
  const where = ['--no-config', '--hidden', '--no-ignore-parent', '--no-messages', '--sort', 'path']
  const globs = [...(glob === undefined ? [] : ['--glob', glob]), '--glob', '!.git', '--glob', '!node_modules']
  if (pattern === undefined) return ['--files', '--null', ...where, ...globs, '--', root]
  return [
    '--json',
    '--crlf',
    ...where,
    ...globs,
    ...(form === 'plain' ? ['--fixed-strings'] : []),
    ...(letters === 'any_case' ? ['--ignore-case'] : []),
    '--regexp',
    pattern,
    '--',
    root,
  ]
}

/** One line of `rg --json`: only matches count, and only of text. */
function parseRow(line: Buffer, maskKnown: Redactor): Finding | 'no_match' | 'foreign' {
  const row = parseJson(line)
  if (!isFields(row)) return 'foreign'
  if (row.type !== 'match' || !isFields(row.data)) return 'no_match'
  const { path, lines, line_number, submatches } = row.data
  const name = isFields(path) && typeof path.text === 'string' ? path.text : undefined
  if (name === undefined || typeof line_number !== 'number') return 'no_match'
  const text = isFields(lines) && typeof lines.text === 'string' ? lines.text : '[no UTF-8]'
  const [first] = Array.isArray(submatches) ? submatches : []
  const column = isFields(first) && typeof first.start === 'number' ? first.start : 0
  return { path: name, line: line_number, text: cutAround(text.replace(/\r?\n$/, ''), column, maskKnown) }
}

function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined // no row of ripgrep's
  }
}
