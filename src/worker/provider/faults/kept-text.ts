import { cutAtWord } from '../../../kernel/index.ts'

const headChars = 2_048
const headBytes = 2_048
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
