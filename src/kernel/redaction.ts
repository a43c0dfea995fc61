import { maskSecretShapes, maskText } from './secret-shapes.ts'
import { fillSpans, mergeSpans, type Span } from './spans.ts'

/**
 * Takes secrets out of text, wherever text is stored or leaves: logs, reports, events, answers (design section 11).
 * Exact known values and their encodings go first, because they cannot be wrong; then shapes of secrets that nobody
 * told us about. Linear in the length of the text, so one line of 10 MB is no problem.
 */
export type Redactor = (text: string) => string

/** Shorter values are not looked for: a password `test` would mask half of every log (worker-facts c.8). */
export const shortestSecretChars = 8

/** A redactor for these values and for everything that looks like a secret. */
export function createRedactor(knownSecrets: readonly string[]): Redactor {
  const maskKnown = createValueMask(knownSecrets)
  return (text) => maskSecretShapes(maskKnown(text))
}

/** A JSON value as text, with everything masked that stands in it as text: names of fields, too. */
export function maskJson(mask: Redactor, value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return mask(part)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [mask(name), field]))
  })
}

/**
 * Masks the given values only. For text that a model works on: a shape that merely looks like a secret must stay, or
 * the model sees a masked test fixture and "repairs" it.
 */
export function createValueMask(knownSecrets: readonly string[]): Redactor {
  const forms = new Set(knownSecrets.filter((value) => value.length >= shortestSecretChars).flatMap(encodingsOf))
  const wanted = [...forms].filter((form) => form.length >= shortestFormChars)
  return (text) => {
    const spans = wanted.flatMap((form) => findForm(text, form, 0))
    return spans.length === 0 ? text : fillSpans(text, mergeSpans(spans), () => maskText)
  }
}

/** A part of base64 that short stands in many a text by chance. */
const shortestFormChars = 6

/** Every place of this form of a value from `start` on, also where one begins in the midst of another. */
function findForm(text: string, form: string, start: number): readonly Span[] {
  const spans: Span[] = []
  for (let from = text.indexOf(form, start); from !== -1; from = text.indexOf(form, from + 1)) {
    spans.push({ from, to: from + form.length })
  }
  return spans
}

/** Every way in which a value is commonly written: as it is, in a URL, in JSON, in base64 at any offset. */
export function encodingsOf(value: string): readonly string[] {
  const percent = encodeURIComponent(toWellFormed(value))
  const json = JSON.stringify(value).slice(1, -1)
  return [
    value,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll('%20', '+'),
    json,
    json.replaceAll('/', '\\/'),
    json.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ...base64FormsOf(value),
  ]
}

/** `encodeURIComponent` throws on half a surrogate pair. */
function toWellFormed(value: string): string {
  return Buffer.from(value, 'utf8').toString('utf8')
}

/**
 * The middle of the value's base64 at each of the three offsets it can have inside a longer text (`user:secret` of
 * basic authentication): the first and last characters mix with their neighbours and are left out.
 */
function base64FormsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value, 'utf8')
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const firstOwn = before === 0 ? 0 : before + 1
    const mixedAtEnd = (before + bytes.length) % 3 === 0 ? 0 : 1
    const middle = encoded.slice(firstOwn, encoded.length - mixedAtEnd)
    return [middle, middle.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
