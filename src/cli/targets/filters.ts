import type { Command } from 'commander'
import type { ListTasksQuery } from '../../api/contract/index.ts'
import { nearestName } from '../../kernel/index.ts'
import { cliError } from '../errors.ts'

/** The filters that stand for targets wherever several tasks may be meant. */
export interface Filters {
  readonly batch?: string
  readonly lane?: string
  readonly label?: string
  readonly status?: string
}

/** Declares `--batch --lane --label --status` on a verb. */
export function withFilters(command: Command): Command {
  return command
    .option('--batch <batch>', 'only tasks of this batch (B7, or its name)')
    .option('--lane <lane>', 'only tasks of this lane')
    .option('--label <label>', 'only tasks with this label')
    .option('--status <status>', 'only tasks in this status; several with commas')
}

export const isFiltered = ({ batch, lane, label, status }: Filters): boolean =>
  [batch, lane, label, status].some((one) => one !== undefined)

/** The query behind filters and board; the batch is resolved by the caller. */
export function queryOf(
  { lane, label, status }: Filters,
  { board, batch }: { readonly board: string | undefined; readonly batch: number | undefined },
): ListTasksQuery {
  return {
    ...(board === undefined ? {} : { board }),
    ...(batch === undefined ? {} : { batch }),
    ...(lane === undefined ? {} : { lane }),
    ...(label === undefined ? {} : { label }),
    ...(status === undefined ? {} : { status: parseStatuses(status).join(',') }),
  }
}

/** What people say, beside the statuses themselves. */
const peoplesWords: Readonly<Record<string, readonly string[]>> = {
  draft: ['triage'],
  waiting: ['todo', 'ready'],
  'needs-you': ['blocked', 'review'],
  'needs-me': ['blocked', 'review'],
}
const statuses = ['triage', 'todo', 'ready', 'running', 'review', 'blocked', 'done', 'failed', 'cancelled'] as const

/** `failed,waiting` as the board's statuses. Throws `CLI_BAD_USE` with the nearest word. */
export function parseStatuses(text: string): readonly string[] {
  return [...new Set(text.split(',').flatMap((one) => parseStatus(one.trim().toLowerCase())))]
}

function parseStatus(word: string): readonly string[] {
  const meant = peoplesWords[word.replaceAll('_', '-').replaceAll(' ', '-')]
  if (meant !== undefined) return meant
  if ((statuses as readonly string[]).includes(word)) return [word]
  const known = [...statuses, ...Object.keys(peoplesWords)]
  const nearest = nearestName(word, known)
  throw cliError('CLI_BAD_USE', {
    says: `"${word}" is no status`,
    fix: nearest === undefined ? `one of: ${known.join(', ')}` : `--status ${nearest}`,
  })
}
