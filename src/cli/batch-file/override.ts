import { isFields, type Path, readYaml } from '../../kernel/config/index.ts'
import { cliError } from '../errors.ts'
import type { BatchDocument } from './batch-document.ts'

/** One `--set limits.slots=4`: where it goes and what it says. */
export interface Override {
  readonly path: readonly string[]
  readonly value: unknown
  /** `--set limits.slots=4`, for messages. */
  readonly from: string
}

/** Reads `k=v`: a dotted path into the batch file, and a YAML value. Throws `CLI_BAD_USE`. */
export function parseSet(text: string): Override {
  const equals = text.indexOf('=')
  const path = text.slice(0, equals).split('.')
  if (equals <= 0 || path.includes('')) {
    throw cliError('CLI_BAD_USE', { says: `--set ${text} is not k=v`, fix: '--set limits.slots=4' })
  }
  const { yaml, faults } = readYaml(text.slice(equals + 1), '--set')
  // What is no YAML by itself ("a: b: c") is meant as the text that it is.
  const value =
    yaml === undefined || faults.length > 0 || isFields(yaml.value) ? text.slice(equals + 1) : (yaml.value ?? '')
  return { path, value, from: `--set ${text}` }
}

/** The document with the overrides in it; faults in their places name the flag and no line. */
export function overrideDocument(document: BatchDocument, overrides: readonly Override[]): BatchDocument {
  if (overrides.length === 0) return document
  // What stands at or below the place of a flag is the flag's, and so is what only exists above it to hold it.
  const flagAt = (path: Path) =>
    overrides.findLast(
      (one) => startsWith(path, one.path) || (startsWith(one.path, path) && !isThere(document.value, path)),
    )?.from
  return {
    file: document.file,
    value: overrides.reduce<unknown>(
      (value, { path, value: inner }) => setIn(value, path, inner),
      document.value ?? {},
    ),
    lineAt: (path) => (flagAt(path) === undefined ? document.lineAt(path) : undefined),
    writtenAt: (path) => (flagAt(path) === undefined ? document.writtenAt(path) : undefined),
    flagAt,
  }
}

const startsWith = (path: Path, beginning: Path): boolean => beginning.every((step, index) => path[index] === step)

function isThere(value: unknown, [step, ...rest]: Path): boolean {
  if (step === undefined) return true
  return isFields(value) && Object.hasOwn(value, step) && isThere(value[step], rest)
}

function setIn(value: unknown, [step, ...rest]: readonly string[], inner: unknown): unknown {
  if (step === undefined) return inner
  const fields = isFields(value) ? value : {}
  const changed = Object.entries(fields).map(
    ([key, old]) => [key, key === step ? setIn(old, rest, inner) : old] as const,
  )
  // Own properties only: `__proto__` must become an unknown key like any other.
  return Object.fromEntries(Object.hasOwn(fields, step) ? changed : [...changed, [step, setIn(undefined, rest, inner)]])
}
