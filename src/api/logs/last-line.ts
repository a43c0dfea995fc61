import type { Redactor } from '../../kernel/index.ts'
import { withLog } from './log-bytes.ts'

const tailBytes = 4 * 1024
const longestLine = 200

/** The last line with something on it, as it would look on a screen, masked; null where there is none. */
export function readLastLine({ mask }: { readonly mask: Redactor }, file: string): string | null {
  const tail = withLog(file, (log) => {
    const from = Math.max(0, log.size - tailBytes)
    // A first line that is cut may begin inside a secret that masking would not know any more.
    const text = log.read(from, tailBytes).toString('utf8')
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  })
  const lines = mask(tail ?? '')
    .split(/[\r\n]+/)
    .map(plainText)
    .filter((line) => line !== '')
  const line = lines.at(-1)
  return line === undefined ? null : [...line].slice(0, longestLine).join('')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken out
const escapeSequences = /\u001b(\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)?|[@-Z\\-_])/g

const plainText = (line: string): string =>
  line
    .replace(escapeSequences, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
