/** Characters of a text from `from` up to `to`, that one excluded. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** In order of their begin, those that overlap made into one. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last !== undefined && from < last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

/** The text with each of these merged spans filled anew. */
export function fillSpans(text: string, merged: readonly Span[], fill: (part: string) => string): string {
  if (merged.length === 0) return text
  const parts: string[] = []
  let end = 0
  for (const { from, to } of merged) {
    parts.push(text.slice(end, from), fill(text.slice(from, to)))
    end = to
  }
  parts.push(text.slice(end))
  return parts.join('')
}
