import { longestTicks } from '../../kernel/index.ts'
import { cutTo, onOneLine, padTo, widthOf } from '../render/visible.ts'

/**
 * Markdown in pieces that may be left out but never cut: a text is there whole or not at all, a list and a table lose
 * whole pieces from their end.
 */
export type MarkdownBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly pieces: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** A heading with what stands under it. */
export interface MarkdownSection {
  readonly heading: string
  readonly blocks: readonly MarkdownBlock[]
}

/** A block as it is read in a terminal, too: its columns are lined up. */
export function renderBlock(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'text':
      return block.text
    case 'list':
      return block.pieces.join('\n')
    case 'table':
      return renderTable(block)
  }
}

function renderTable({ head, rows }: Extract<MarkdownBlock, { kind: 'table' }>): string {
  const widths = head.map((title, column) =>
    Math.max(3, ...[head, ...rows].map((row) => widthOf(row[column] ?? title))),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => padTo(cell, widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

/** Longest cell of free text in a table; the whole is in report.json and `yardmaster log`. */
const longestCell = 80

/**
 * Foreign text as a code span, so that nothing in it is Markdown or HTML: a fence longer than any run of backticks in
 * it (CommonMark 6.1), and `|` escaped, which would end a cell even there (GFM tables).
 */
export function code(text: string): string {
  const cut = cutTo(onOneLine(text).replaceAll('|', '\\|'), longestCell)
  const fence = '`'.repeat(longestTicks(cut) + 1)
  return fence.length === 1 ? `\`${cut}\`` : `${fence} ${cut} ${fence}`
}
