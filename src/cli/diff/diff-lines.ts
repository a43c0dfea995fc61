import type { ChangeView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { logForTerminal } from '../render/log-text.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'

/** The files of a change, one a line, and all of them in the last. */
export function statLines({ files, file_count, insertions, deletions }: ChangeView): readonly string[] {
  const rows = files.map((file) => ({ name: onOneLine(file.path), says: sayFile(file) }))
  const longest = Math.min(60, Math.max(0, ...rows.map(({ name }) => name.length)))
  const lines = rows.map(({ name, says }) => ` ${name.padEnd(longest)} | ${says}`)
  if (file_count > files.length) lines.push(` and ${count(file_count - files.length, 'file')} more`)
  return [...lines, ` ${count(file_count, 'file')} changed, +${insertions} -${deletions}`]
}

function sayFile({ status, insertions, deletions }: ChangeView['files'][number]): string {
  const lines = insertions === null || deletions === null ? 'binary' : `+${insertions} -${deletions}`
  return status === 'modified' ? lines : `${lines} (${status.replace('_', ' ')})`
}

/** A diff for a terminal: coloured by its first signs, and every sequence that a file brings along spelled out. */
export async function* colourDiff(paint: CliDeps['paint'], chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const harmless = logForTerminal()
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines.map((line) => `${colourLine(paint, withoutColour(harmless(`${line}\n`)).slice(0, -1))}\n`).join('')
  }
  if (rest !== '') yield `${colourLine(paint, withoutColour(harmless(`${rest}\n`)).slice(0, -1))}\n`
}

/** The colours of a file are not ours. */
const withoutColour = (line: string): string => line.replaceAll('\u001b', '\\e')

function colourLine(paint: CliDeps['paint'], line: string): string {
  if (/^(diff --git|index |--- |\+\+\+ |new file|deleted file|old mode|new mode)/.test(line)) return paint.bold(line)
  if (line.startsWith('@@')) return paint.cyan(line)
  if (line.startsWith('+')) return paint.green(line)
  if (line.startsWith('-')) return paint.red(line)
  return line
}
