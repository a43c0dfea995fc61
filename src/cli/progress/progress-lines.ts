import { describeDuration, sayWait } from '../../kernel/index.ts'
import type { CliDeps } from '../command.ts'
import { renderTable } from '../render/table.ts'
import { cutTo } from '../render/visible.ts'
import { endedOf, type Progress, type RunningLine } from './progress.ts'

export interface ProgressLook {
  readonly width: number
  readonly height: number
  readonly paint: CliDeps['paint']
}

const widestBar = 30
const narrowestBar = 8
/** Below this a bar and columns say less than the bare figures. */
const narrowTerminal = 50

/** The batch on a terminal: how far, what of it, and one line for each running task, never more than the screen has. */
export function progressLines(progress: Progress, { width, height, paint }: ProgressLook): readonly string[] {
  // The last column stays free: a character there makes some terminals wrap.
  const columns = Math.max(1, width - 1)
  const head = [headLine(progress, columns, paint), countLine(progress, columns, paint)]
  const room = Math.max(0, height - head.length - 2)
  const shown = progress.lines.slice(0, progress.lines.length > room ? Math.max(0, room - 1) : room)
  const left = progress.running - shown.length
  const rows = shown.map((line) => runningCells(line, paint))
  const table = renderTable(rows, { width: columns, shrink: [[1, 12]] })
  const more = left > 0 && room > 0 ? [cutTo(`… and ${left} more running`, columns)] : []
  const held = progress.waitsFor === null || room === 0 ? [] : [cutTo(progress.waitsFor, columns)]
  return [...head, ...table, ...more, ...held]
}

function headLine(progress: Progress, columns: number, paint: CliDeps['paint']): string {
  const { id, name, total, leftMs } = progress
  const ended = endedOf(progress)
  const share = total === 0 ? 1 : ended / total
  const figures = `${ended}/${total}  ${Math.floor(share * 100)}%`
  const rest = leftMs === undefined ? '' : `  about ${sayWait(leftMs)} left`
  const label = `B${id} ${name}`
  if (columns < narrowTerminal) return cutTo(`B${id} ${figures}${rest}`, columns)
  const text = cutTo(label, Math.floor(columns / 3))
  const room = columns - text.length - figures.length - rest.length - 4
  if (room < narrowestBar) return cutTo(`${text}  ${figures}${rest}`, columns)
  const barWidth = Math.min(widestBar, room)
  return `${paint.bold(text)}  ${bar(share, barWidth, paint)}  ${figures}${paint.dim(rest)}`
}

function bar(share: number, width: number, paint: CliDeps['paint']): string {
  const full = Math.round(share * width)
  return paint.green('█'.repeat(full)) + paint.dim('░'.repeat(width - full))
}

function countLine(progress: Progress, columns: number, paint: CliDeps['paint']): string {
  const parts: readonly (readonly [string, number, (text: string) => string])[] = [
    ['done', progress.done, paint.green],
    ['failed', progress.failed, paint.red],
    ['needs you', progress.needsYou, paint.yellow],
    ['cancelled', progress.cancelled, paint.dim],
    ['running', progress.running, paint.cyan],
    ['waiting', progress.waiting, paint.dim],
  ]
  let line = ''
  let used = 0
  for (const [word, n, colour] of parts.filter(([word, n]) => n > 0 || word === 'done')) {
    const text = `${word} ${n}`
    const gap = used === 0 ? '' : ' · '
    if (used + gap.length + text.length > columns) break
    line += gap + colour(text)
    used += gap.length + text.length
  }
  return line
}

function runningCells({ task, key, attempt, forMs, says }: RunningLine, paint: CliDeps['paint']) {
  return [
    { text: `T${task}`, paint: paint.cyan },
    { text: key },
    { text: attempt > 1 ? `attempt ${attempt}` : '', paint: paint.yellow },
    { text: describeDuration(forMs), paint: paint.dim },
    { text: says, paint: paint.dim },
  ]
}
