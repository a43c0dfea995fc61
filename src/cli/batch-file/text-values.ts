import { isFields, type Path } from '../../kernel/config/index.ts'
import type { BatchDocument } from './batch-document.ts'

/**
 * The document's data with numbers and truth values turned into the text that was written, in those places that take
 * text and where people write bare numbers: names and keys, variables, matrix values (`python: [3.9, 3.10]`).
 */
export function withTextValues(document: BatchDocument): unknown {
  const { value } = document
  if (!isFields(value)) return value
  const text = (inner: unknown, path: Path): unknown =>
    typeof inner === 'number' || typeof inner === 'boolean' || typeof inner === 'bigint'
      ? (document.writtenAt(path) ?? String(inner))
      : inner
  return mapFields(value, (inner, key) => {
    if (key === 'name' || key === 'key') return text(inner, [key])
    if (key === 'defaults' && isFields(inner)) return withTextEnv(inner, ['defaults'], text)
    if (key !== 'tasks' || !isFields(inner)) return inner
    return mapFields(inner, (task, name) => (isFields(task) ? textOfTask(task, ['tasks', name], text) : task))
  })
}

type ToText = (inner: unknown, path: Path) => unknown
type Fields = Readonly<Record<string, unknown>>

function textOfTask(task: Fields, path: Path, text: ToText): Fields {
  return mapFields(withTextEnv(task, path, text), (inner, key) =>
    key === 'matrix' && isFields(inner) ? textOfMatrix(inner, [...path, key], text) : inner,
  )
}

function withTextEnv(fields: Fields, path: Path, text: ToText): Fields {
  return mapFields(fields, (inner, key) =>
    key === 'env' && isFields(inner)
      ? mapFields(inner, (value, name) => text(value, [...path, key, name]))
      : key === 'title'
        ? text(inner, [...path, key])
        : inner,
  )
}

function textOfMatrix(matrix: Fields, path: Path, text: ToText): Fields {
  return mapFields(matrix, (axis, name) =>
    Array.isArray(axis)
      ? axis.map((entry, index) => {
          const at = [...path, name, index]
          return isFields(entry) ? mapFields(entry, (value, column) => text(value, [...at, column])) : text(entry, at)
        })
      : axis,
  )
}

function mapFields(fields: Fields, change: (inner: unknown, key: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, inner]) => [key, change(inner, key)]))
}
