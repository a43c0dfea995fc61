import type { ChangeView } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { inDiff, onOneLine } from '../render/visible.ts'
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

/**
 * A diff for a terminal: coloured by its first signs, and all that a file brings along to hide something (escapes, carriage
 * returns, turned directions) spelled out. A very long line comes in pieces.
 */
export async function* colourDiff(paint: CliDeps['paint'], chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  /** Of a line of which a part has been given out. */
  let begun: Colour | undefined
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    let text = ''
    for (const line of lines) {
      text += `${(begun ?? colourOf(paint, line))(inDiff(line))}\n`
      begun = undefined
    }
    if (rest.length > longestHeld) {
      begun ??= colourOf(paint, rest)
      text += begun(inDiff(rest))
      rest = ''
    }
    yield text
  }
  if (rest !== '' || begun !== undefined) yield `${(begun ?? colourOf(paint, rest))(inDiff(rest))}\n`
}

const longestHeld = 64 * 1024

type Colour = (text: string) => string

function colourOf(paint: CliDeps['paint'], line: string): Colour {
  if (/^(diff --git|index |--- |\+\+\+ |new file|deleted file|old mode|new mode)/.test(line)) return paint.bold
  if (line.startsWith('@@')) return paint.cyan
  if (line.startsWith('+')) return paint.green
  return line.startsWith('-') ? paint.red : (text) => text
}
