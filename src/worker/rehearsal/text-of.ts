/** The text of a message: it is one, or a list of parts of which some are texts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { readonly text?: unknown }) => (typeof part?.text === 'string' ? part.text : ''))
    .join('\n')
}
