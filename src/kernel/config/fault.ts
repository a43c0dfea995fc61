/** One thing wrong in a file, with where and how to mend it. All faults of a file are reported at once. */
export interface Fault {
  readonly file: string
  /** From 1; absent when the file as a whole is meant. */
  readonly line?: number
  /** `lanes.chat.modle`; empty when the file as a whole is meant. */
  readonly path: string
  readonly says: string
  readonly fix: string
}

/** Steps from the top of a document to one value in it. */
export type Path = readonly (string | number)[]

/** `tasks.lint.needs[0]`; a key that is not a plain word is quoted (`tasks["a b"]`). */
export function formatPath(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (/^[\w-]+$/.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${JSON.stringify(step)}]`
  }
  return text
}

/** One line for each fault, in the order of the file: `night.yaml:7  tasks.a.modle is not known: did you mean model?` */
export function formatFaults(faults: readonly Fault[]): string {
  return sortFaults(faults).map(formatFault).join('\n')
}

/** By file, then line; faults of a whole file first. */
export function sortFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((a, b) => (a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : a.file < b.file ? -1 : 1))
}

function formatFault({ file, line, path, says, fix }: Fault): string {
  const where = line === undefined ? file : `${file}:${line}`
  return `  ${where}  ${path === '' ? '' : `${path} `}${says}: ${fix}`
}
