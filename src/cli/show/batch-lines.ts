import type { BatchView } from '../../api/contract/index.ts'
import { labelled } from '../render/labelled.ts'
import { clockTime } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import type { ShowLook } from './run-lines.ts'

/** A batch in short; its report says the rest. */
export function batchLines(batch: BatchView, look: ShowLook): readonly string[] {
  const { nowMs } = look
  return [
    look.paint.bold(`B${batch.id} ${onOneLine(batch.name)}`),
    ...labelled(look, 'file', batch.file ?? 'standard input'),
    ...labelled(look, 'key', batch.key === null ? undefined : onOneLine(batch.key)),
    ...labelled(look, 'tasks', countWords(batch)),
    ...labelled(look, 'limits', limitWords(batch, nowMs)),
    ...labelled(look, 'since', `${clockTime(batch.created_at, nowMs)}, by ${onOneLine(batch.created_by)}`),
    ...labelled(look, 'cut', batch.cut === null ? undefined : onOneLine(batch.cut.text)),
    ...labelled(look, 'verdict', verdictWords(batch, nowMs)),
    ...labelled(look, 'next', nextCommands(batch).join(' · ')),
  ]
}

const countWordsByStatus = {
  'needs you': ['blocked', 'review'],
  running: ['running'],
  waiting: ['ready', 'todo'],
  draft: ['triage'],
  done: ['done'],
  failed: ['failed'],
  cancelled: ['cancelled'],
} as const

function countWords({ counts }: BatchView): string {
  const parts = Object.entries(countWordsByStatus).flatMap(([word, statuses]) => {
    const n = statuses.reduce((sum, status) => sum + (counts.by_status[status] ?? 0), 0)
    return n === 0 ? [] : [`${n} ${word}`]
  })
  return `${count(counts.total, 'task')}: ${parts.join(', ')}`
}

function limitWords({ limits }: BatchView, nowMs: number): string | undefined {
  const parts = [
    ...(limits.slots === null ? [] : [`slots ${limits.slots}`]),
    ...(limits.stop_at === null ? [] : [`stops at ${clockTime(limits.stop_at, nowMs)}`]),
    ...(limits.halt === null ? [] : [`halts at ${limits.halt} failed`]),
    ...(limits.first === null ? [] : [`first ${limits.first}`]),
    ...(limits.on_wall === 'stop' ? ['ends when only limits of accounts are left'] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(' · ')
}

function verdictWords({ verdict, ended_at }: BatchView, nowMs: number): string {
  if (verdict === null) return 'none yet: it goes on'
  const when = ended_at === null ? '' : `, ${clockTime(ended_at, nowMs)}`
  return `${onOneLine(verdict.text)}, exit ${verdict.exit_code}${when}`
}

function nextCommands({ id, verdict }: BatchView): readonly string[] {
  if (verdict === null) return [`yardmaster watch B${id}`, `yardmaster cancel B${id}`]
  return [`yardmaster report B${id}`, `yardmaster list B${id} --all`]
}
