import { basename } from 'node:path'
import { readShell } from './read-shell.ts'
import { deepestScript, scriptOf } from './script-of.ts'
import { unwrapCommand } from './unwrap-command.ts'

/**
 * The first command in a shell text that is like one of `patterns` (`*` stands for any text), as it may be told to people.
 * With any pattern at all, a text that cannot be judged is taken for one: unclear quotes, a program whose name is known
 * only when it runs. No fence against somebody who wants around it: a script can hold anything.
 */
export function findCommandsLike(text: string, patterns: readonly string[]): string | undefined {
  return patterns.length === 0 ? undefined : findIn(text, patterns, 0)
}

function findIn(text: string, patterns: readonly string[], depth: number): string | undefined {
  const { events, reading } = readShell(text)
  if (reading === 'unclear' || depth > deepestScript) return 'a command that cannot be read'
  for (const event of events) {
    const found = event.kind === 'command' ? findInWords(event.words, patterns, depth) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function findInWords(words: readonly string[], patterns: readonly string[], depth: number): string | undefined {
  const inner = unwrapCommand(words).words
  const name = inner[0] ?? ''
  for (const written of [words.join(' '), [basename(words[0] ?? ''), ...words.slice(1)].join(' '), inner.join(' ')]) {
    if (patterns.some((pattern) => isLike(written, pattern))) return written.slice(0, 120)
  }
  if (/[$`]/.test(name)) return `a program whose name is known only when it runs (${name.slice(0, 40)})`
  const script = scriptOf(inner)
  return script === undefined ? undefined : findIn(script, patterns, depth + 1)
}

/** Linear: the parts between the stars are looked for from left to right. */
export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.trim().replace(/\s+/g, ' ').split('*')
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (parts.length === 1) return text === first
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  const end = text.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
