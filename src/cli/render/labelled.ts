import type { CliDeps } from '../command.ts'

const labelWidth = 9

/** One fact of a card: its label in a column of its own, more lines below it. No line of text: nothing at all. */
export function labelled(
  { paint }: Pick<CliDeps, 'paint'>,
  label: string,
  text: string | readonly string[] | undefined,
): readonly string[] {
  const lines = text === undefined ? [] : typeof text === 'string' ? [text] : text
  return lines.map((line, index) =>
    `  ${index === 0 ? paint.dim(label.padEnd(labelWidth)) : ' '.repeat(labelWidth)} ${line}`.trimEnd(),
  )
}
