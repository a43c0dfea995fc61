/**
 * A text as one word of a shell, quoted only where it must be: for commands that people copy. What a terminal would obey
 * (control characters, those that turn the direction of a line) is spelled out, in the `$'…'` that bash, zsh and POSIX
 * 2024 read.
 */
export function shellWord(text: string): string {
  if (/^[\w/.@:+,=%-]+$/.test(text)) return text
  if (!unseen.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${text.replace(/[\\']/g, '\\$&').replace(everyUnseen, spell)}'`
}

const set = '[\\p{Cc}\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069\\ufeff]'
const unseen = new RegExp(set, 'u')
const everyUnseen = new RegExp(set, 'gu')

function spell(one: string): string {
  if (one === '\n') return '\\n'
  if (one === '\t') return '\\t'
  const code = one.charCodeAt(0)
  // A byte of 0x80 and more would be no character by itself.
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
