/** Markdown around it is what a model adds by itself. */
const verdictLine = /^[\s*_`#>-]*verdict[\s*_`]*:[\s*_`]*(approve|reject)(?:d|ed)?[\s*_`.!]*$/i

/** The verdict in the last line of an answer (`verdict: approve`, `verdict: reject`), and the answer before that line. */
export function readVerdictLine(
  answer: string,
): { readonly decision: 'approve' | 'reject'; readonly text: string } | null {
  const lines = answer.trimEnd().split('\n')
  const decision = verdictLine.exec(lines.at(-1) ?? '')?.[1]?.toLowerCase()
  if (decision !== 'approve' && decision !== 'reject') return null
  return { decision, text: lines.slice(0, -1).join('\n').trim() }
}
