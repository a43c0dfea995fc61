/**
 * Makes text harmless for the log of a GitHub runner, piece by piece: there a line that begins with `::`, blanks before
 * it or not, is a command to the runner, and so is `##[` anywhere in a line. A blank inside takes that from it, and a
 * reader still sees what was printed. It remembers the line under way, so that no command can be put together from pieces.
 */
export function makeHarmless(): (piece: string) => string {
  /** Of the line under way: what decides about the rest of it. */
  let begun = ''
  return (piece) => {
    const safe = (begun + piece).replace(commandAtStart, '$1: ').replaceAll('##[', '## [')
    const told = safe.slice(begun.length)
    begun = whatDecides(safe)
    return told
  }
}

// The runner reads lines that end with \n, \r or both, and trims white space as .NET knows it before it looks.
// A line end begins a line of its own, so none is among the blanks: else many empty lines would cost the square of their number.
const commandAtStart = /((?:^|[\r\n])(?:[^\S\r\n]|\u0085)*):(?=:)/g

function whatDecides(text: string): string {
  const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
  // Blanks at the start of a line, however many, are as good as one.
  const start = /^[\s\u0085]*(:?)$/.exec(line)
  if (start !== null) return start[1] ?? ''
  return `x${line.slice(-2)}`
}
