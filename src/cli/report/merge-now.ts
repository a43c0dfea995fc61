import type { BatchView } from '../../api/contract/index.ts'
import { shellWord } from '../../kernel/index.ts'
import { count } from '../render/words.ts'
import type { DoNow } from './do-now.ts'
import type { ReportRow } from './report-row.ts'

/** Bringing the checked branches of a batch that is over onto one branch, as something to do; nothing where there is none. */
export function mergeNow({
  batch,
  rows,
  applyFrom,
}: {
  readonly batch: BatchView
  readonly rows: readonly ReportRow[]
  /** The batch, or the folder of its report, as a shell takes it. */
  readonly applyFrom: string
}): readonly DoNow[] {
  if (batch.verdict === null) return []
  const ready = rows.filter(
    ({ end, checked, change }) => end === 'done' && checked && change !== null && change.patch_bytes !== null,
  )
  if (ready.length === 0) return []
  const repos = new Set(ready.map(({ change }) => change?.repo)).size
  const where = repos === 1 ? '' : ` in ${count(repos, 'repository', 'repositories')}`
  return [
    {
      task: null,
      key: null,
      more: 0,
      says: `merge ${count(ready.length, 'checked branch', 'checked branches')}${where}`,
      command: `yardmaster apply ${applyFrom} --checked --onto ${shellWord(branchFor(batch))}`,
    },
  ]
}

/** `night/2026-11-29`: a name for the branch that takes them, which git accepts whatever the batch is called. */
function branchFor({ name, created_at }: BatchView): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${word === '' ? 'yard' : word}/${localDate(new Date(created_at))}`
}

function localDate(at: Date): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}
