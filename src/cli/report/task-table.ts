import { describeDuration } from '../../kernel/index.ts'
import { count } from '../render/words.ts'
import { code, type MarkdownBlock } from './markdown-block.ts'
import type { ReportRow } from './report-row.ts'

/** Every row of a report as a table; what it changed has a column where anything worked in a worktree. */
export function taskTable(rows: readonly ReportRow[]): MarkdownBlock {
  const inWorktrees = rows.some(({ change }) => change !== null)
  const columns = ['task', 'row', 'outcome', 'attempts', 'why', 'last line', 'time', 'tokens']
  return {
    kind: 'table',
    head: [...columns, ...(inWorktrees ? ['branch', 'change'] : [])],
    rows: rows.map((row) => [...cellsOf(row), ...(inWorktrees ? changeCells(row) : [])]),
  }
}

const cellsOf = (row: ReportRow): readonly string[] => [
  `T${row.id}`,
  code(row.key),
  `${row.words} [${row.code}]`,
  String(row.attempts),
  row.why === '' ? '' : code(row.why),
  row.lastLine === '' ? '' : code(row.lastLine),
  row.tookMs === null ? '' : describeDuration(row.tookMs),
  tokensOf(row),
]

function changeCells({ change }: ReportRow): readonly string[] {
  if (change === null) return ['', '']
  if (change.patch_bytes === null) return [code(change.branch), 'nothing']
  const { branch, file_count, insertions, deletions } = change
  return [code(branch), `${count(file_count, 'file')} +${insertions} -${deletions}`]
}

/** A command has no tokens; a prompt whose provider said nothing has some that nobody knows. */
function tokensOf({ tokens, kind, attempts }: ReportRow): string {
  if (tokens !== null) return tokens.toLocaleString('en-US')
  return kind === 'prompt' && attempts > 0 ? 'unknown' : ''
}
