import { type Fault, formatPath, isFields, type Path, readYaml } from '../../kernel/config/index.ts'

/** The text of a batch as plain data that knows where each value stood. */
export interface BatchDocument {
  /** As people should read it: the path they typed, or `standard input`. */
  readonly file: string
  /** `undefined` where the file is empty. */
  readonly value: unknown
  lineAt(path: Path): number | undefined
  /** The scalar as it was written, so that `3.10` stays `3.10`. */
  writtenAt(path: Path): string | undefined
  /** The flag of the command line that wrote what stands at `path`; undefined where the file did. */
  flagAt?(path: Path): string | undefined
}

export type OpenedDocument =
  /** `faults`: what is wrong already, though the rest can be read and looked at. */
  | { readonly ok: true; readonly document: BatchDocument; readonly faults: readonly Fault[] }
  | { readonly ok: false; readonly faults: readonly Fault[] }

/** YAML (JSON is YAML), or JSONL: one task a line with `key`. Standard input is JSONL when its first line alone is such a task. */
export function openDocument(
  text: string,
  { file, path }: { readonly file: string; readonly path: string | null },
): OpenedDocument {
  const isJsonl = path === null ? looksLikeJsonl(text) : /\.(jsonl|ndjson)$/i.test(path)
  return isJsonl ? openJsonl(text, file) : openYaml(text, file)
}

/** A fault at a place of the document. */
export function faultAt(
  document: BatchDocument,
  path: Path,
  words: { readonly says: string; readonly fix: string },
): Fault {
  const line = document.lineAt(path)
  return {
    file: document.flagAt?.(path) ?? document.file,
    ...(line === undefined ? {} : { line }),
    path: formatPath(path),
    ...words,
  }
}

function openYaml(text: string, file: string): OpenedDocument {
  const { yaml, faults } = readYaml(text, file)
  return yaml === undefined ? { ok: false, faults } : { ok: true, document: { file, ...yaml }, faults }
}

function looksLikeJsonl(text: string): boolean {
  const first = parsedTask(text.split('\n').find((line) => line.trim() !== '') ?? '')
  return typeof first?.key === 'string' && !('tasks' in first)
}

function parsedTask(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined // the caller says what such a line means
  }
}

function openJsonl(text: string, file: string): OpenedDocument {
  const faults: Fault[] = []
  const tasks = new Map<string, { readonly line: number; readonly task: Readonly<Record<string, unknown>> }>()
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue
    const line = index + 1
    const fault = (path: string, says: string, fix: string) => faults.push({ file, line, path, says, fix })
    const written = parsedTask(content)
    if (written === undefined) {
      fault('', 'is not a JSON object', 'write one task a line, as JSON with "key"')
      continue
    }
    const { key, ...task } = written
    if (typeof key !== 'string' || key === '') {
      fault('', 'has no key', 'give each line a "key" of its own')
      continue
    }
    const before = tasks.get(key)
    if (before === undefined) tasks.set(key, { line, task })
    else fault(formatPath(['tasks', key]), `is there already, on line ${before.line}`, 'give one of them another key')
  }
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, document: documentOfLines(file, tasks), faults }
}

function documentOfLines(
  file: string,
  tasks: ReadonlyMap<string, { readonly line: number; readonly task: Readonly<Record<string, unknown>> }>,
): BatchDocument {
  const value = { tasks: Object.fromEntries([...tasks].map(([key, { task }]) => [key, task])) }
  return {
    file,
    value,
    lineAt: ([, key]) => (typeof key === 'string' ? tasks.get(key)?.line : undefined),
    writtenAt(path) {
      const found = path.reduce<unknown>(
        (at, step) => (at as Record<string | number, unknown> | undefined)?.[step],
        value,
      )
      return typeof found === 'object' || found === undefined ? undefined : String(found)
    },
  }
}
