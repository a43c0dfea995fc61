import type { ToolArguments, ToolResult } from '../tool.ts'
import { mostReadLines, type ReadDeps } from './file-deps.ts'
import { refuse } from './file-result.ts'
import { resolveReadable } from './inside-workspace.ts'
import { listFolder } from './list-folder.ts'
import { suggestPaths } from './near-paths.ts'
import { readWhole } from './open-file.ts'
import { decodeText } from './text-form.ts'

const largestBytes = 16 * 1024 * 1024
const lineChars = 2_000
const resultChars = 100_000

/** What tool `read` does; loaded at its first use. */
export async function readLines(deps: ReadDeps, args: ToolArguments): Promise<ToolResult> {
  const { workspace, register } = deps
  const inside = await resolveReadable(deps, String(args.path))
  if (!inside.ok) return refuse('read', inside.says)
  const { path, shown } = inside
  const opened = await readWhole(path, largestBytes)
  switch (opened.kind) {
    case 'missing':
      return refuse('read', `${shown} is not there${await suggestPaths(workspace, path)}`)
    case 'folder':
      return await listFolder(path, shown)
    case 'refused':
      return refuse('read', `${shown} ${opened.says}; take parts of it with the terminal (file, head, sed -n, grep)`)
    case 'file':
      break
  }
  const decoded = decodeText(opened.bytes)
  if (decoded.kind === 'binary') return refuse('read', `${shown} ${decoded.says}`)

  const lines = decoded.text.split('\n')
  const endsWithNewline = lines.at(-1) === ''
  if (endsWithNewline) lines.pop() // the end of the last line is no line of its own
  const first = Number(args.offset ?? 1)
  if (first > Math.max(1, lines.length)) {
    return refuse('read', `${shown} has ${countLines(lines.length)}; offset ${first} is behind its end`)
  }
  const limit = Number(args.limit ?? mostReadLines)
  if (register.noteRead(path, opened.seen, `${first}+${limit}`) === 'same') {
    const says = `${shown} is the same as when you read this part before; read it once more to see it again`
    return { text: says, summary: `read ${shown}: the same as before`, outcome: 'ok' }
  }
  if (lines.length === 0) return { text: '[the file is empty]', summary: `read ${shown}: empty`, outcome: 'ok' }
  const taken = takeLines(lines, first, limit)
  const last = first - 1 + taken.length
  const notes = [
    ...(last < lines.length
      ? [`lines ${first} to ${last} of ${lines.length}; go on with offset ${last + 1}`]
      : endsWithNewline
        ? []
        : ['no newline at its end']),
    ...noteForm(decoded),
  ]
  const text = [...taken, ...notes.map((note) => `[${note}]`)].join('\n')
  const summary = `read ${shown}: ${taken.length} of ${countLines(lines.length)}`
  return { text, summary, outcome: 'ok' }
}

function takeLines(lines: readonly string[], first: number, most: number): readonly string[] {
  const taken: string[] = []
  let chars = 0
  for (const line of lines.slice(first - 1, first - 1 + most)) {
    const numbered = `${first + taken.length}\t${cutLine(line.endsWith('\r') ? line.slice(0, -1) : line)}`
    chars += numbered.length + 1
    if (chars > resultChars && taken.length > 0) break
    taken.push(numbered)
  }
  return taken
}

function cutLine(line: string): string {
  if (line.length <= lineChars) return line
  const halfPair = /[\ud800-\udbff]/.test(line[lineChars - 1] ?? '')
  const kept = halfPair ? lineChars - 1 : lineChars
  return `${line.slice(0, kept)}[… ${line.length - kept} characters left out]`
}

/** What an edit must know and the lines do not show. */
function noteForm(decoded: Exclude<ReturnType<typeof decodeText>, { kind: 'binary' }>): readonly string[] {
  const { text, byteOrderMark } = decoded
  const crlf = text.split('\r\n').length - 1
  const lf = text.split('\n').length - 1 - crlf
  return [
    ...(decoded.kind === 'lossy'
      ? [`not all of it is UTF-8, first in line ${decoded.firstLine}: what is not shows as \ufffd`]
      : []),
    ...(crlf === 0 ? [] : [lf === 0 ? 'line ends are CRLF' : `line ends are mixed: ${crlf} CRLF, ${lf} LF`]),
    ...(byteOrderMark === '' ? [] : ['it begins with a byte order mark']),
  ]
}

const countLines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)
