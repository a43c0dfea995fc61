import { fillPlaceholders, unescapePlaceholders } from '../../kernel/index.ts'
import type { MatrixRow } from './expand-matrix.ts'

/** Fills what is known now; for texts that nobody fills again. */
export function fillKnown(
  text: string,
  row: MatrixRow | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const filled = fillPlaceholders(text, ({ scope, name }) => {
    if (scope === 'matrix') return row?.names.get(name)
    return scope === 'env' ? env[name] : undefined
  })
  return unescapePlaceholders(filled)
}

/** Fills matrix values into a text that the hub fills once more: what looks like a placeholder in a value stays text. */
export function fillForLater(text: string, row: MatrixRow | undefined): string {
  return fillPlaceholders(text, ({ scope, name }) =>
    scope === 'matrix' ? row?.names.get(name)?.replaceAll('${{', () => '$${{') : undefined,
  )
}
