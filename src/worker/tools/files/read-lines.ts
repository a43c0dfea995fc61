import type { Redactor } from '../../../kernel/index.ts'
import type { ToolArguments, ToolResult } from '../tool.ts'
import { largestReadBytes, mostReadLines, type ReadDeps } from './file-deps.ts'
import { refuse } from './file-result.ts'
import { resolveReadable } from './inside-workspace.ts'
import { listFolder } from './list-folder.ts'
import { suggestPaths } from './near-paths.ts'
import { readWhole } from './open-file.ts'
import { countBytes, decodeText, newline } from './text-form.ts'

const inParts = '; take parts of it with the terminal (file, head, sed -n, grep)'
const lineChars = 2_000
const longestSecretChars = 8_192
const resultChars = 100_000
const carriageReturn = 0x0d

/** What tool `read` does; loaded at its first use. */
export async function readLines(deps: ReadDeps, args: ToolArguments): Promise<ToolResult> {
  const { workspace, register } = deps
  const inside = await resolveReadable(deps, String(args.path))
  if (!inside.ok) return refuse('read', inside.says)
  const { path, shown } = inside
  const opened = await readWhole(path, largestReadBytes)
  switch (opened.kind) {
    case 'missing':
      return refuse('read', `${shown} is not there${await suggestPaths(workspace, path)}`)
    case 'folder':
      return await listFolder(path, shown)
    case 'refused':
      return refuse('read', `${shown} ${opened.says}${opened.isTooLarge === true ? inParts : ''}`)
    case 'file':
      break
  }
  const decoded = decodeText(opened.bytes)
  if (decoded.kind === 'binary') return refuse('read', `${shown} ${decoded.says}`)

  const { text: whole } = decoded
  const endsWithNewline = whole === '' || whole.endsWith('\n') // the end of the last line is no line of its own
  const lineCount = countBytes(opened.bytes, newline) + (endsWithNewline ? 0 : 1)
  const first = Number(args.offset ?? 1)
  if (first > Math.max(1, lineCount)) {
    return refuse('read', `${shown} has ${countLines(lineCount)}; offset ${first} is behind its end`)
  }
  const limit = Number(args.limit ?? mostReadLines)
  if (register.noteRead(path, opened.seen, `${first}+${limit}`) === 'same') {
    const says = `${shown} is the same as when you read this part before; read it once more to see it again`
    return { text: says, summary: `read ${shown}: the same as before`, outcome: 'ok', unchanged: true }
  }
  if (lineCount === 0) return { text: '[the file is empty]', summary: `read ${shown}: empty`, outcome: 'ok' }
  const taken = takeLines(whole, first, Math.min(limit, lineCount - first + 1), deps.maskKnown)
  const last = first - 1 + taken.length
  const notes = [
    ...(last < lineCount
      ? [`lines ${first} to ${last} of ${lineCount}; go on with offset ${last + 1}`]
      : endsWithNewline
        ? []
        : ['no newline at its end']),
    ...noteForm(decoded, opened.bytes),
  ]
  const text = [...taken, ...notes.map((note) => `[${note}]`)].join('\n')
  const summary = `read ${shown}: ${taken.length} of ${countLines(lineCount)}`
  return { text, summary, outcome: 'ok' }
}

function takeLines(text: string, first: number, most: number, maskKnown: Redactor): readonly string[] {
  const taken: string[] = []
  let chars = 0
  let at = 0
  for (let line = 1; line < first; line += 1) at = text.indexOf('\n', at) + 1
  while (taken.length < most) {
    const found = text.indexOf('\n', at)
    const line = text.slice(at, found === -1 ? undefined : found)
    at = found + 1
    const numbered = `${first + taken.length}\t${cutLine(line.endsWith('\r') ? line.slice(0, -1) : line, maskKnown)}`
    chars += numbered.length + 1
    if (chars > resultChars && taken.length > 0) break
    taken.push(numbered)
  }
  return taken
}

/** What the cut would divide is masked before it. */
function cutLine(whole: string, maskKnown: Redactor): string {
  if (whole.length <= lineChars) return whole
  const line = maskKnown(whole.slice(0, lineChars + longestSecretChars)) + whole.slice(lineChars + longestSecretChars)
  const halfPair = /[\ud800-\udbff]/.test(line[lineChars - 1] ?? '')
  const kept = halfPair ? lineChars - 1 : lineChars
  return `${line.slice(0, kept)}[… ${line.length - kept} characters left out]`
}

/** What an edit must know and the lines do not show. */
function noteForm(
  decoded: Exclude<ReturnType<typeof decodeText>, { kind: 'binary' }>,
  bytes: Buffer,
): readonly string[] {
  const { byteOrderMark } = decoded
  const crlf = countBytes(bytes, newline, carriageReturn)
  const lf = countBytes(bytes, newline) - crlf
  return [
    ...(decoded.kind === 'lossy'
      ? [`not all of it is UTF-8, first in line ${decoded.firstLine}: what is not shows as \ufffd`]
      : []),
    ...(crlf === 0 ? [] : [lf === 0 ? 'line ends are CRLF' : `line ends are mixed: ${crlf} CRLF, ${lf} LF`]),
    ...(byteOrderMark === '' ? [] : ['it begins with a byte order mark']),
  ]
}

const countLines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)
