/** Bytes of one name: file systems take 255, and a number or a mark of ours may be put before or behind it. */
const longestNameBytes = 200

/** What keeps a text from being the name of one file in any folder, in words behind the name; undefined when nothing does. */
export function sayNameFault(name: string): string | undefined {
  if (name === '') return 'is empty'
  if (name === '.' || name === '..') return 'is the name of a folder'
  if (/[/\\]/.test(name)) return 'has a slash in it'
  if (unseen.test(name)) return 'has characters in it that cannot be seen'
  if (/^\s|\s$/.test(name)) return 'begins or ends with a space'
  if (Buffer.byteLength(name) > longestNameBytes) return `has more than ${longestNameBytes} bytes`
  return undefined
}

/** A name that can stand for `text` in a list and in a folder: what `sayNameFault` says nothing against. */
export function makeFileName(text: string): string {
  const seen = text.replaceAll(/[/\\]/g, '_').replaceAll(new RegExp(unseen, 'gu'), '_').trim()
  const name = cutBytes(seen, longestNameBytes).trim()
  return sayNameFault(name) === undefined ? name : 'file'
}

/** Control characters, halves of characters, ends of lines, and what turns the direction of a line: so that a name is as it reads. */
const unseen = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u

/** Keeps the end of the name, which says what kind of file it is. */
function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  const ending = /\.[A-Za-z0-9.]{1,16}$/.exec(text)?.[0] ?? ''
  const bytes = Buffer.from(text.slice(0, text.length - ending.length)).subarray(0, most - ending.length)
  return bytes.toString('utf8').replace(/\uFFFD+$/, '') + ending
}
