/** What a chat worker is given through a pipe, where no environment, argument or file would show it to anybody. */
export interface Handover {
  /** The run's own for its hub. */
  readonly token: string | undefined
  /** For its provider; undefined: none is needed, or it stands elsewhere. */
  readonly key: string | undefined
}

/** A pipe takes 64 KiB without waiting for its reader. */
export const mostHandoverBytes = 60_000

const keyMark = '\nkey '

/** The token in the first line; then the key, up to the end. */
export const formatHandover = ({ token, key }: Handover): string =>
  `${token ?? ''}${key === undefined ? '' : `${keyMark}${key}`}`

/** Reads back what `formatHandover` wrote. */
export function parseHandover(text: string): Handover {
  const at = text.indexOf(keyMark)
  const token = (at === -1 ? text : text.slice(0, at)).trim()
  const key = at === -1 ? '' : text.slice(at + keyMark.length)
  return { token: token === '' ? undefined : token, key: key === '' ? undefined : key }
}
