const headChars = 2_048
const headBytes = 2_048
/** A key or token that is cut in two is not found any more when secrets are masked: so far back a cut looks for its begin. */
const longestWordChars = 1_024

/** What is kept of a body that could not be understood, so that a new form of it is visible in the record of the run. */
export function keepRaw(body: string | null): { readonly sha256: string | null; readonly head: string | null } {
  if (body === null || body === '') return { sha256: null, head: null }
  // Loaded at the first fault: node:crypto is a tenth of the start of a worker.
  const sha256 = process.getBuiltinModule('node:crypto').createHash('sha256').update(body).digest('hex')
  return { sha256, head: headOf(body) }
}

/** At most 2 KiB of UTF-8, cut between words. */
function headOf(body: string): string {
  const bytes = Buffer.from(body.slice(0, headChars))
  if (bytes.length <= headBytes) return cutAtWord(body, headChars)
  const text = bytes.toString('utf8', 0, headBytes).replace(/\ufffd$/, '') // a character that was cut in two
  return cutAtWord(`${text}\0`, text.length)
}

/** At most so many characters; a word that goes on after them is left out whole. */
export function cutAtWord(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  let end = mostChars
  const least = Math.max(0, mostChars - longestWordChars)
  while (end > least && isWord(text, end) && isWord(text, end - 1)) end -= 1
  return text.slice(0, end)
}

/** What keys, tokens and their encodings are made of. */
const isWord = (text: string, at: number): boolean => /[\w+/=.~%\\-]/.test(text.charAt(at))
