/** What a person left in the editor. */
export interface EditedCard {
  readonly title: string
  /** The whole text, its first line included; undefined when there is only that line. */
  readonly prompt: string | undefined
}

const scissors = '# ------------------------ >8 ------------------------'

/** The text that the editor opens: what there is, then what to do, below a line that is cut off with all under it. */
export function cardTemplate(text: string, remarks: readonly string[]): string {
  return `${text}\n\n${[scissors, ...remarks.map((remark) => `# ${remark}`)].join('\n')}\n`
}

/**
 * First line: the title; all of it: the prompt. Only the cut-off line ends the text, so Markdown headings survive.
 * Undefined when nothing was written, which means: leave it.
 */
export function parseCard(text: string): EditedCard | undefined {
  const end = text.split(/\r?\n/).indexOf(scissors)
  const written = (end === -1 ? text : text.split(/\r?\n/).slice(0, end).join('\n')).trim()
  if (written === '') return undefined
  const [title = '', ...more] = written.split('\n')
  return { title: title.trim(), prompt: more.length === 0 ? undefined : written }
}
