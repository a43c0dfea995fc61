import { count } from '../render/words.ts'
import type { MarkdownBlock, MarkdownSection } from '../report/index.ts'

/** What there is to say, most important first. */
export interface FittedInput {
  readonly start: string
  readonly sections: readonly MarkdownSection[]
}

/** Room for the line that says what was left out. */
const noteBytes = 200

/**
 * As many pieces as the room takes, from the first on, and a last line that says what was left out; undefined where not
 * even the start fits. A piece is a row, an entry of a list or a whole text: none is cut.
 */
export function fitSections({ start, sections }: FittedInput, roomBytes: number): string | undefined {
  const room = roomBytes - noteBytes
  let used = bytesOf(start) + 1
  if (used > room) return undefined
  const lines: string[] = [start]
  let left = 0
  for (const piece of sections.flatMap(piecesOf)) {
    const bytes = bytesOf(piece.text) + 1
    if (left > 0 || used + bytes + piece.needsBytes > room) left += piece.counts
    else {
      lines.push(piece.text)
      used += bytes
    }
  }
  if (left > 0) {
    lines.push(`\n**Cut here**: ${count(left, 'more entry', 'more entries')}. The whole report is report.md.`)
  }
  return `${lines.join('\n')}\n`
}

interface Piece {
  readonly text: string
  /** How much must fit behind it, so that it does not stand alone: a heading, the head of a table. */
  readonly needsBytes: number
  /** 0 for what says nothing by itself. */
  readonly counts: number
}

function piecesOf({ heading, blocks }: MarkdownSection): readonly Piece[] {
  const pieces = blocks.flatMap(piecesOfBlock)
  const [first] = pieces
  if (first === undefined) return []
  return [{ text: `\n## ${heading}`, needsBytes: bytesOf(first.text) + 1 + first.needsBytes, counts: 0 }, ...pieces]
}

function piecesOfBlock(block: MarkdownBlock): readonly Piece[] {
  switch (block.kind) {
    case 'text':
      return [{ text: `\n${block.text}`, needsBytes: 0, counts: 1 }]
    case 'list':
      return block.pieces.map((text, index) => ({ text: index === 0 ? `\n${text}` : text, needsBytes: 0, counts: 1 }))
    case 'table': {
      const rows = block.rows.map((cells) => ({ text: rowOf(cells), needsBytes: 0, counts: 1 }))
      const head = `\n${rowOf(block.head)}\n${rowOf(block.head.map(() => '---'))}`
      return rows[0] === undefined ? [] : [{ text: head, needsBytes: bytesOf(rows[0].text) + 1, counts: 0 }, ...rows]
    }
  }
}

/** Not lined up: on a page blanks only take room. */
const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const bytesOf = (text: string): number => Buffer.byteLength(text)
