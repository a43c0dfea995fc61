/** A line on the page of a workflow, at a file where there is one. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice'
  /** Below the checkout; absent: at no file. */
  readonly file: string | undefined
  readonly title: string
  /** May have several lines. */
  readonly message: string
}

/**
 * `::error file=src/a.ts,title=E1::…`, one line and one command whatever is in the texts (GitHub's escaping of workflow
 * commands; `##[` is the old way to write one, and has no escape).
 */
export function annotationLine({ level, file, title, message }: Annotation): string {
  const properties = [...(file === undefined ? [] : [`file=${escapeProperty(file)}`]), `title=${escapeProperty(title)}`]
  return `::${level} ${properties.join(',')}::${escapeData(message)}`
}

const escapeData = (text: string): string =>
  text.replaceAll('##[', '## [').replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
