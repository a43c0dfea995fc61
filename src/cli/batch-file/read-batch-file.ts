import { createHash } from 'node:crypto'
import { basename, dirname, resolve } from 'node:path'
import type { NewBatchBody } from '../../api/contract/index.ts'
import { checkShape, type Fault, isFields, readText } from '../../kernel/config/index.ts'
import { type BatchDocument, faultAt, openDocument } from './batch-document.ts'
import type { BatchRequest, ReadDeps } from './batch-request.ts'
import { BatchFileSchema, type WrittenBatch } from './batch-schema.ts'
import { checkBatch } from './check-batch.ts'
import { batchError } from './errors.ts'
import { type BatchRow, expandTask } from './expand-task.ts'
import { fillCode } from './fill-code.ts'
import { fillKnown } from './fill-texts.ts'
import { type Link, linkNeeds } from './link-needs.ts'
import { overrideDocument, parseSet } from './override.ts'
import { readTemplates } from './read-templates.ts'
import type { AxisSources } from './resolve-axis.ts'
import { withTextValues } from './text-values.ts'

export interface ReadBatch {
  readonly body: NewBatchBody
  readonly rows: readonly BatchRow[]
}

/**
 * A batch file as what the API takes: matrix expanded, files read, globs and paths resolved, needs linked. Throws
 * `BATCH_FILE_INVALID` with every fault of the file at once, or `BATCH_FILE_NOT_READ`; nothing is created either way.
 */
export async function readBatchFile(deps: ReadDeps, request: BatchRequest): Promise<ReadBatch> {
  const source = await readSource(deps, request.file)
  const opened = openDocument(source.text, { file: source.shown, path: source.path })
  if (!opened.ok) throw invalid(source.shown, opened.faults)
  const document = overrideDocument(opened.document, overridesOf(request))
  const written = withTextValues(document)
  const shape = shapeFaults(document, written)
  const sources: AxisSources = {
    dir: source.dir,
    env: deps.env,
    stdin: source.path === null ? undefined : once(() => deps.stdin.readAll()),
  }
  const templates = await readTemplates(document, {
    written,
    matrixFlags: request.matrix,
    sources,
    cwd: deps.cwd,
    refused: shape,
  })
  const place = { dir: source.dir, env: deps.env }
  const rows = templates.templates.flatMap((template) => expandTask(template, place))
  const linked = linkNeeds(rows, templates.unread)
  const faults = [
    ...opened.faults,
    ...shape,
    ...templates.faults,
    ...checkBatch(document, { written, rows, linked, deps, request, unread: templates.unread }),
  ]
  if (faults.length > 0) throw invalid(source.shown, faults)
  return {
    body: buildBody(written as WrittenBatch, { source, rows, links: linked.links, request, env: deps.env }),
    rows,
  }
}

interface Source {
  readonly text: string
  /** As people should read it. */
  readonly shown: string
  /** Absolute; null for standard input. */
  readonly path: string | null
  /** Absolute folder that relative paths start from. */
  readonly dir: string
}

async function readSource({ cwd, stdin }: ReadDeps, file: string): Promise<Source> {
  if (file === '-') return { text: await stdin.readAll(), shown: 'standard input', path: null, dir: cwd }
  const path = resolve(cwd, file)
  const read = readText(path)
  if (!read.ok) throw batchError('BATCH_FILE_NOT_READ', { file, why: read.why })
  return { text: read.text, shown: file, path, dir: dirname(path) }
}

function overridesOf({ set, slots, timeout }: BatchRequest) {
  return [
    ...set.map(parseSet),
    ...(slots === undefined ? [] : [{ path: ['limits', 'slots'], value: slots, from: `-j ${slots}` }]),
    ...(timeout === undefined ? [] : [{ path: ['limits', 'timeout'], value: timeout, from: `--timeout ${timeout}` }]),
  ]
}

/** Faults of shape, each at its line. A file without any task is told so in words of its own. */
function shapeFaults(document: BatchDocument, written: unknown): readonly Fault[] {
  if (written === undefined || (isFields(written) && isEmpty(written.tasks))) {
    const at = written === undefined ? [] : ['tasks']
    return [faultAt(document, at, { says: 'has no tasks', fix: 'write at least one under tasks:' })]
  }
  return checkShape(BatchFileSchema, written).map(({ path, ...words }) => faultAt(document, path, words))
}

const isEmpty = (tasks: unknown): boolean => tasks == null || (isFields(tasks) && Object.keys(tasks).length === 0)

function invalid(file: string, faults: readonly Fault[]) {
  return batchError('BATCH_FILE_INVALID', { file, faults })
}

function once<T>(get: () => Promise<T>): () => Promise<T> {
  let got: Promise<T> | undefined
  return () => {
    got ??= get()
    return got
  }
}

interface BodyParts {
  readonly source: Source
  readonly rows: readonly BatchRow[]
  readonly links: ReadonlyMap<string, readonly Link[]>
  readonly request: BatchRequest
  readonly env: ReadDeps['env']
}

function buildBody(written: WrittenBatch, { source, rows, links, request, env }: BodyParts): NewBatchBody {
  const known = (text: string) => fillKnown(text, undefined, env)
  const { check, may_change, workspace, ...defaults } = written.defaults ?? {}
  const board = request.board ?? written.board
  const key = request.key ?? (written.key === undefined ? undefined : known(written.key))
  return {
    ...(board === undefined ? {} : { board }),
    name: written.name === undefined ? nameFrom(source.path) : known(written.name),
    ...(key === undefined ? {} : { key }),
    digest: createHash('sha256').update(source.text).digest('hex'),
    file: source.path,
    dir: source.dir,
    limits: written.limits ?? {},
    defaults: {
      ...defaults,
      ...fillCode({ check, may_change, workspace }, { row: undefined, dir: source.dir, env }),
    },
    tasks: rows.map(({ key: row, body }) => {
      const needs = links.get(row) ?? []
      return needs.length === 0 ? body : { ...body, needs: [...needs] }
    }),
    mode: request.mode,
    redo: [...request.redo],
  }
}

/** The file's name without its ending, cut to what a name may have. */
function nameFrom(path: string | null): string {
  if (path === null) return 'stdin'
  return [...basename(path).replace(/(?<=.)\.[^.]*$/, '')].slice(0, 100).join('')
}
