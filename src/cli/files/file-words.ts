import type { AttachmentView } from '../../api/contract/index.ts'
import { describeSize } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { renderTable } from '../render/table.ts'
import { ago } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'

const mostShown = 10

/** `spec.pdf 1.2 MiB (ana), shot.png 80 KiB (R12)`; undefined where there is none. */
export function filesLine(task: number, files: readonly AttachmentView[]): string | undefined {
  if (files.length === 0) return undefined
  const shown = files
    .slice(0, mostShown)
    .map((file) => `${onOneLine(file.name)} ${describeSize(file.bytes)} (${giverOf(file)})`)
  const more = files.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more: yardmaster attach T${task} --list`] : [])].join(', ')
}

/** One a line: its number, who left it, how large it is, when it came, its name. */
export function fileTable(
  files: readonly AttachmentView[],
  { width, nowMs, paint }: { readonly width: number; readonly nowMs: number; readonly paint: CliDeps['paint'] },
): readonly string[] {
  const rows = files.map((file) => [
    { text: String(file.id), paint: paint.dim },
    { text: giverOf(file) },
    { text: describeSize(file.bytes) },
    { text: `${ago(file.at, nowMs)} ago`, paint: paint.dim },
    { text: onOneLine(file.name) },
  ])
  return renderTable(rows, { width, shrink: [[4, 20]] })
}

export const giverOf = ({ run, by }: AttachmentView): string => (run === null ? onOneLine(by) : `R${run}`)
