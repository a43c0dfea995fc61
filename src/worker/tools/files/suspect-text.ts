// What models put into an edit instead of the text itself. Each pattern is linear: it is run on whole files.

const comment = String.raw`^\s*(?:\/\/|#|\/\*+|<!--|--|;|\*|%|"""|''')?\s*`
const dots = `(?:[.]{3}|…)`
const kept = `(?:unchanged|(?:the )?same(?: as (?:before|above))?|as (?:before|is|above)|omitted|here|remains?(?: unchanged| the same)?|stays?(?: the same)?|for brevity|goes here)`
const what = `(?:code|file|functions?|methods?|class(?:es)?|implementation|contents?|logic|imports?|tests?|lines|text|body|definitions?)`
const some = `(?:(?:the )?(?:rest|remainder) of (?:the |your |this )?|(?:the )?(?:existing|remaining|previous|other|original|unchanged) )`

const placeholders = [
  new RegExp(`${comment}[([{]?\\s*${dots}\\s*[([{]?\\s*${some}(?:[\\w-]+ ){0,3}?${what}.{0,40}$`, 'i'),
  new RegExp(
    `${comment}[([{]?\\s*${some}(?:[\\w-]+ ){0,2}?${what}\\s+(?:is |are |that )?${kept}[\\s.)\\]}*/>-]*$`,
    'i',
  ),
  new RegExp(`${comment}[([{]?\\s*${dots}\\s*(?:${what} )?(?:${kept})\\s*${dots}?[\\s.)\\]}*/>-]*$`, 'i'),
]
const longestLine = 200

/** A line of `next` that stands for text which was left out ("rest of code unchanged"), unless `before` has it, too. */
export function findPlaceholder(next: string, before: string): string | undefined {
  let known: ReadonlySet<string> | undefined
  let looks = 0
  for (const line of linesWith(hints, next)) {
    if (!placeholders.some((pattern) => pattern.test(line))) continue
    known ??= new Set(before.split('\n').map((each) => each.trim()))
    if (known.has(line)) continue
    looks += 1
    if (looks > mostLooks || !before.includes(line)) return line
  }
  return undefined
}

/** Every placeholder holds one of these: most texts need no closer look. */
const hints = /[.]{3}|…|\b(?:rest|remainder|existing|remaining|previous|other|original|unchanged)\b/gi
/** So many times a long text is looked through for a part of a line. */
const mostLooks = 20

/** The lines in which it stands, each once, trimmed; those that are too long left out. */
function* linesWith(pattern: RegExp, text: string): Generator<string> {
  let done = -1
  for (const { index } of text.matchAll(pattern)) {
    if (index <= done) continue
    const end = text.indexOf('\n', index)
    done = end === -1 ? text.length : end
    const line = text.slice(text.lastIndexOf('\n', index) + 1, done).trim()
    if (line.length <= longestLine) yield line
  }
}

/**
 * Whether a text was escaped once too often: it is one line in which `\n` stands where lines end, or each of its quotes
 * has a backslash. `known` is what the file and the text looked for hold: what is in there is meant.
 */
export function isEscapedTwice(next: string, known: string): boolean {
  return hasEscapedLines(next, known) || hasEscapedQuotes(next, known)
}

function hasEscapedLines(next: string, known: string): boolean {
  if (next.trim().includes('\n') || !next.includes('\\n') || known.includes('\\n')) return false
  const parts = next.trim().split('\\n')
  const asCode = parts.every((part, at) => {
    const before = at === 0 || !/^[/\])'"`+*?|$]/.test(part)
    const behind = at === parts.length - 1 || !/[/[(^'"`\\]$/.test(part)
    return before && behind && hasPairs(part)
  })
  return asCode && parts.some((part, at) => at > 0 && part.trim() !== '')
}

/** Each kind of quote an even number of times: then the part is not the inside of a text in quotes. */
const hasPairs = (part: string): boolean => [`'`, '"', '`'].every((quote) => part.split(quote).length % 2 === 1)

function hasEscapedQuotes(next: string, known: string): boolean {
  if (known.includes('\\"')) return false
  const escaped = next.split('\\"').length - 1
  const all = next.split('"').length - 1
  return escaped >= 2 && escaped === all && !/['`]/.test(next)
}
