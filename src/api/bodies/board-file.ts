import { type CopiedRun, type CopiedTask, type Outcome, outcomes, type TaskSpec } from '../../board/index.ts'
import { checkShape, formatPath } from '../../kernel/config/index.ts'
import { formatTaskId, isDeeperThan, suggestName, taskId } from '../../kernel/index.ts'
import {
  BoardFileHeader,
  BoardFileTask,
  type BodyFault,
  boardFileFormat,
  firstFaults,
  type ParsedBody,
  parseBody,
} from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { badRequest } from './bad-request.ts'
import { settingsFromBody } from './settings-from-body.ts'

export interface ReadBoardFile {
  readonly board: string
  readonly tasks: readonly CopiedTask[]
}

/** Most faults that are told at once. */
const mostFaults = 20

/** So many lines are read at once: some ten milliseconds, and a moment for everybody else after each. */
const linesAtOnce = 100

/**
 * Reads an exported file to its end before anything is made of it, in pieces, so that a hub goes on meanwhile. Throws
 * `API_BAD_REQUEST` with each fault's line.
 */
export async function readBoardFile(text: string): Promise<ReadBoardFile> {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const header = readHeader(lines[0] ?? '')
  const faults: BodyFault[] = []
  const tasks: CopiedTask[] = []
  for (const [index, line] of lines.slice(1).entries()) {
    const read = readTask(line, index + 2)
    if (read.kind === 'body') tasks.push(read.body)
    else faults.push(...read.faults)
    if (index % linesAtOnce === linesAtOnce - 1) await new Promise((next) => setImmediate(next))
  }
  if (faults.length > 0) throw badRequest(...firstFaults(faults, mostFaults))
  if (tasks.length !== header.tasks) {
    const says = `says that ${header.tasks} tasks follow, and there are ${tasks.length}: the file is not whole`
    throw badRequest({ path: 'line 1', says, fix: 'export the board again' })
  }
  return { board: header.board, tasks }
}

function readHeader(line: string): BoardFileHeader {
  const value = parseJson(line)
  const format = (value as { format?: unknown } | undefined)?.format
  if (typeof format === 'number' && format > boardFileFormat) {
    throw apiError('API_BOARD_FILE_TOO_NEW', { format, known: boardFileFormat })
  }
  const parsed = parseBody(BoardFileHeader, value)
  if (parsed.kind === 'body') return parsed.body
  throw badRequest({
    path: 'line 1',
    says: 'is not the header of an exported board',
    fix: 'name a file that yardmaster export has made',
  })
}

function readTask(line: string, number: number): ParsedBody<CopiedTask> {
  const value = parseJson(line)
  if (value === undefined) {
    return { kind: 'faults', faults: [{ path: `line ${number}`, says: 'is no JSON', fix: 'export the board again' }] }
  }
  const parsed = parseBody(BoardFileTask, value)
  if (parsed.kind === 'body') return { kind: 'body', body: taskOf(parsed.body, `line ${number}`) }
  const told = faultsOf(value)
  return { kind: 'faults', faults: (told.length > 0 ? told : parsed.faults).map((fault) => atLine(number, fault)) }
}

/** An export is not written by hand: a list of all that may stand there is no help where no name is near. */
function faultsOf(value: unknown): readonly BodyFault[] {
  return checkShape(BoardFileTask, value).map(({ path, says, fix, lists }) => ({
    path: formatPath(path),
    says,
    fix: lists === undefined ? fix : 'take it out, or export the board again',
  }))
}

const atLine = (number: number, fault: BodyFault): BodyFault => ({
  ...fault,
  path: fault.path === '' ? `line ${number}` : `line ${number}: ${fault.path}`,
})

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined // the fault of the line says so
  }
}

function taskOf(line: BoardFileTask, path: string): CopiedTask {
  const { task, title, prompt, run, dir, repo, repo_branch, matrix, labels, lane, priority = 0, ...others } = line
  const { status, key, hold, ...rest } = others
  const {
    batch,
    row_key,
    failures,
    not_before,
    created_by,
    created_at,
    settled_at,
    archived_at,
    archived_by,
    ...more
  } = rest
  const { needs, comments, runs, left_out, ...settings } = more
  const spec: TaskSpec = {
    ...settingsFromBody(settings, path),
    title,
    ...(prompt === undefined ? {} : { prompt }),
    ...(run === undefined ? {} : { run }),
    dir,
    ...(repo === undefined ? {} : { repo }),
    ...(repo_branch === undefined ? {} : { repoBranch: repo_branch }),
    ...(matrix === undefined ? {} : { matrix }),
    ...(labels === undefined ? {} : { labels }),
  }
  const archivedAtMs = msOrNull(archived_at, `${path}: archived_at`)
  return {
    from: task,
    ...{ spec, lane, priority, status, key, failures, archivedAtMs },
    holdCode: hold?.code ?? null,
    holdText: hold?.text ?? null,
    holdBy: hold?.by ?? null,
    notBeforeMs: msOrNull(not_before, `${path}: not_before`),
    createdBy: created_by,
    createdAtMs: msOf(created_at, `${path}: created_at`),
    settledAtMs: msOrNull(settled_at, `${path}: settled_at`),
    archivedBy: archivedAtMs === null ? null : (archived_by ?? ''),
    needs: needsOf(needs, path),
    comments: comments.map(({ at, by, text }, n) => ({ atMs: msOf(at, `${path}: comments[${n}].at`), by, text })),
    runs: runsOf(runs, path),
    leftOut: left_out,
  }
}

function needsOf(needs: BoardFileTask['needs'], path: string): CopiedTask['needs'] {
  const seen = new Set<number>()
  return needs.map(({ task: on, ...need }, n) => {
    if (seen.has(on)) {
      const says = `names ${formatTaskId(taskId(on))} a second time`
      throw badRequest({ path: `${path}: needs[${n}]`, says, fix: 'take one of the two out' })
    }
    seen.add(on)
    return { task: taskId(on), ...need }
  })
}

type RunLine = BoardFileTask['runs'][number]

function runsOf(lines: readonly RunLine[], path: string): readonly CopiedRun[] {
  const seen = new Set<number>()
  return lines.map((line, n) => {
    const at = `${path}: runs[${n}]`
    if (seen.has(line.attempt)) {
      const says = `names attempt ${line.attempt} a second time`
      throw badRequest({ path: `${at}.attempt`, says, fix: 'take one of the two out' })
    }
    seen.add(line.attempt)
    return runOf(line, at)
  })
}

/** As deep as the report of an attempt may be: whoever walks it later does so by recursion. */
const deepestData = 100

function runOf({ usage, data, call = null, spent = null, ...run }: RunLine, path: string): CopiedRun {
  if (isDeeperThan(data, deepestData)) {
    const says = `is nested more than ${deepestData} levels deep`
    throw badRequest({ path: `${path}.data`, says, fix: 'export the board again' })
  }
  return {
    attempt: run.attempt,
    lane: run.lane,
    account: run.account,
    outcome: outcomeOrThrow(run.outcome, `${path}.outcome`),
    reason: run.reason,
    exitCode: run.exit_code,
    signal: run.signal,
    outputTail: run.output_tail,
    result: run.result,
    data: data === null ? null : JSON.stringify(data),
    call:
      call === null
        ? null
        : { kind: call.kind, code: call.code, text: call.text, atMs: msOf(call.at, `${path}.call.at`) },
    usage:
      usage === null
        ? null
        : {
            inputTokens: usage.input_tokens,
            cachedTokens: usage.cached_tokens,
            outputTokens: usage.output_tokens,
            calls: usage.calls,
          },
    spent: spent === null ? null : spentOf(spent),
    claimedAtMs: msOf(run.claimed_at, `${path}.claimed_at`),
    exitedAtMs: msOf(run.exited_at, `${path}.exited_at`),
    settledAtMs: msOf(run.settled_at, `${path}.settled_at`),
    peakRssBytes: run.peak_rss_bytes,
    cpuSeconds: run.cpu_seconds,
    releasedBy: run.released_by,
  }
}

function spentOf({ cost_usd, refusal, ...spent }: NonNullable<RunLine['spent']>): NonNullable<CopiedRun['spent']> {
  if (refusal === undefined) return { ...spent, costUsd: cost_usd }
  const { request_id, ...rest } = refusal
  return { ...spent, costUsd: cost_usd, refusal: { ...rest, requestId: request_id } }
}

function outcomeOrThrow(text: string, path: string): Outcome {
  const outcome = outcomes.find((known) => known === text)
  if (outcome !== undefined) return outcome
  throw badRequest({ path, says: `names no outcome: ${JSON.stringify(text)}`, fix: suggestName(text, outcomes) })
}

const msOrNull = (moment: string | null, path: string): number | null => (moment === null ? null : msOf(moment, path))

/** A month or a day that there is not has the form of a moment all the same. */
function msOf(moment: string, path: string): number {
  const ms = Date.parse(moment)
  if (!Number.isNaN(ms)) return ms
  throw badRequest({ path, says: `is no moment: ${moment}`, fix: 'write one such as 2026-11-29T18:00:00.000Z' })
}
