import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Range,
  visit,
} from 'yaml'
import type { Fault, Path } from './fault.ts'

/** A YAML document as plain data that still knows where each value stood. */
export interface YamlText {
  /** Plain data; `undefined` for an empty file. */
  readonly value: unknown
  /** Line (from 1) of the key or value at `path`, or of the nearest thing above it that was written. */
  lineAt(path: Path): number
  /** The scalar at `path` as it was written, so that `3.10` stays `3.10`; undefined for anything else. */
  writtenAt(path: Path): string | undefined
}

/**
 * Reads YAML 1.2 (so JSON too) with merge keys. Every syntax fault is answered, each with its line; then `yaml` is absent.
 * With repeated keys alone it is there, the last of each counting: a reader can go on and tell all faults at once.
 */
export function readYaml(text: string, file: string): { readonly yaml?: YamlText; readonly faults: readonly Fault[] } {
  const lines = new LineCounter()
  // The library compares each key with every other of its map: with 20,000 tasks that takes longer than all the rest.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true, uniqueKeys: false })
  const lineOf = (offset: number) => lines.linePos(offset).line
  const syntax = [...document.errors, ...document.warnings].map((error) => ({
    file,
    line: lineOf(error.pos[0]),
    path: '',
    says: `is not YAML: ${firstLine(error.message)}`,
    fix: 'mend this line (indentation, quotes, brackets)',
  }))
  const repeated = repeatedKeys(document).map(({ key, at, firstAt }) => ({
    file,
    line: lineOf(at),
    path: '',
    says: `has the key ${key} again, which is on line ${lineOf(firstAt)} already`,
    fix: 'rename one of them, or take one out',
  }))
  if (syntax.length > 0) return { faults: [...syntax, ...repeated] }
  try {
    return { yaml: openYaml(document, lines), faults: repeated }
  } catch (cause) {
    // toJS refuses documents that grow without bound through aliases.
    const says = `cannot be read: ${firstLine(cause instanceof Error ? cause.message : String(cause))}`
    return { faults: [{ file, path: '', says, fix: 'write the repeated parts out instead of using aliases' }] }
  }
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? ''

interface RepeatedKey {
  readonly key: string
  readonly at: number
  readonly firstAt: number
}

function repeatedKeys(document: Document.Parsed): readonly RepeatedKey[] {
  const repeated: RepeatedKey[] = []
  visit(document, {
    Map(_, map) {
      const seen = new Map<string, number>()
      for (const { key: node } of map.items) {
        if (!isScalar(node) || node.value === '<<') continue
        const key = String(node.value)
        const at = startOf(node) ?? 0
        const firstAt = seen.get(key)
        if (firstAt === undefined) seen.set(key, at)
        else repeated.push({ key, at, firstAt })
      }
    },
  })
  return repeated
}

function openYaml(document: Document.Parsed, lines: LineCounter): YamlText {
  const value: unknown = document.toJS() ?? undefined
  return {
    value,
    lineAt: (path) => lines.linePos(positionOf(document, path)).line,
    writtenAt(path) {
      const found = follow(document, path)
      return found.rest === 0 && isScalar(found.node) ? (found.node.source ?? String(found.node.value)) : undefined
    },
  }
}

interface Found {
  readonly node: Node | null
  readonly at: number
  /** Steps of the path that were not found. */
  readonly rest: number
}

const positionOf = (document: Document.Parsed, path: Path): number => follow(document, path).at

/** Walks as far as the document goes; `at` is where the last found key or value begins. */
function follow(document: Document.Parsed, path: Path): Found {
  let found: Found = { node: document.contents, at: startOf(document.contents) ?? 0, rest: path.length }
  for (const step of path) {
    const next = stepInto(resolve(document, found.node), step)
    if (next === undefined) return found
    found = { node: resolve(document, next.node), at: next.at ?? found.at, rest: found.rest - 1 }
  }
  return found
}

function stepInto(node: Node | null, step: string | number): { node: Node | null; at: number | undefined } | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const child = (node.items[step] ?? null) as Node | null
    return child === null ? undefined : { node: child, at: startOf(child) }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
  if (pair === undefined) return undefined
  return { node: (pair.value ?? null) as Node | null, at: startOf(pair.key as Node | null) }
}

function resolve(document: Document.Parsed, node: Node | null): Node | null {
  return isAlias(node) ? ((node.resolve(document) as Node | undefined) ?? null) : node
}

function startOf(node: Node | null): number | undefined {
  const range: Range | null | undefined = node?.range
  return range?.[0]
}
