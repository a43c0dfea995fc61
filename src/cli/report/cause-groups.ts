import { decidingTail, linesOf, type ReportRow, type ReportTask } from './report-row.ts'

/** Failed tasks with the same cause, so that twenty failures are read as the three that they are. */
export interface CauseGroup {
  /** `E1`, `E2`, … by size: what `yardmaster retry @E1` takes. */
  readonly id: string
  readonly code: string
  /** The line that names the cause, as the first of them printed it. */
  readonly says: string
  readonly tasks: readonly number[]
  /** Suite of all of them, where they share one. */
  readonly suite: string | undefined
}

/** Groups the failed tasks of a batch: largest first, then in the order of the file. */
export function groupCauses(
  rows: readonly { readonly row: ReportRow; readonly task: ReportTask }[],
): readonly CauseGroup[] {
  const groups = new Map<string, { readonly says: string; readonly rows: ReportRow[] }>()
  for (const { row, task } of rows) {
    if (row.end !== 'failed') continue
    const says = causeLine(row, task)
    const key = `${row.code}\n${normalise(says, row.label)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { says, rows: [row] })
    else group.rows.push(row)
  }
  return [...groups.values()]
    .sort((a, b) => b.rows.length - a.rows.length)
    .map(({ says, rows: members }, index) => ({
      id: `E${index + 1}`,
      code: members[0]?.code ?? 'failed',
      says,
      tasks: members.map(({ id }) => id),
      suite: members.every(({ suite }) => suite === members[0]?.suite) ? members[0]?.suite : undefined,
    }))
}

/** These ends are their own cause: what was printed before says where it was, not why it ended. */
const namedByTheirEnd = ['timed_out', 'stalled', 'killed', 'oom', 'incomplete']

function causeLine(row: ReportRow, { all_runs }: ReportTask): string {
  if (namedByTheirEnd.includes(row.code)) return row.why
  const last = all_runs.at(-1)
  const lines = linesOf(last === undefined ? null : decidingTail(last)).filter((line) => !isNoise(line))
  return lines.findLast((line) => namesFault.test(line)) ?? lines.at(-1) ?? row.why
}

const namesFault =
  /\b(err(or)?|fail(ed|ure|s)?|fatal|exception|panic(ked)?|traceback|denied|refused|unable|cannot|can't|not found|no such|invalid|missing|expected|undefined|unexpected|assert\w*|timed? ?out)\b|ERR!|\b[A-Z][A-Za-z]*Error\b|\b[A-Z]{2,}\d{3,}\b/i

/** Lines that tools print after every failure, whatever it was. */
const noise = [
  /a complete log of this run/i,
  /^npm (ERR!|error) (code|path|command|errno|syscall|cwd|workspace|location)\b/i,
  /^make(\[\d+\])?: \*\*\* /,
  /(exited|failed|ended) with (exit )?(code|status)/i,
  /command failed/i,
  /^(tests?|test suites|test files|suites)\b.*\d+ failed/i,
  /^at .+:\d+:\d+\)?$/,
  // tsc, eslint and others end with how many there were.
  /^\W*(found )?\d+ (errors?|failures?|problems?)\b/i,
]
const isNoise = (line: string): boolean => noise.some((pattern) => pattern.test(line))

/** What differs between two runs of the same fault is taken out: the row's own value, times, addresses, line numbers. */
function normalise(line: string, label: string | undefined): string {
  const own = label === undefined || label.length < 2 ? line : line.replaceAll(label, '…')
  return own
    .replace(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?/g, 'TIME')
    .replace(/\b\d{1,2}:\d{2}:\d{2}(\.\d+)?\b/g, 'TIME')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, 'ID')
    .replace(/\b(0x)?[0-9a-f]*\d[0-9a-f]*(?<=[0-9a-f]{8})\b/gi, 'ID')
    .replace(/\b\d+(\.\d+)? ?(ms|s|seconds?|minutes?)\b/gi, 'DURATION')
    .replace(/:\d+(:\d+)?\b/g, ':LINE')
    .replace(/\/tmp\/[^\s:'"]+/g, '/tmp/…')
    .replace(/\d{5,}/g, 'N')
}
