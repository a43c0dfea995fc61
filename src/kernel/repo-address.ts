import { maskSecretShapes } from './secret-shapes.ts'

/** What names a repository: a folder of this machine, or a place that git fetches from. */
type RepoAddress =
  /** As written: absolute, from somewhere, or from the user's home (`~/code/shop`). */
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  /** `says` follows the name of the field and never repeats what might be a secret. */
  | { readonly kind: 'refused'; readonly says: string; readonly fix: string }

/**
 * Tells a path from an address, and refuses what git would take for something else than either: an option, a helper
 * program (`ext::…`), an address with a password in it, which would be stored and shown.
 */
export function readRepoAddress(text: string): RepoAddress {
  if (holdsSecret(text)) {
    return refused(
      'holds a password, which would be stored with the task and shown',
      'leave it out and let git ask a credential helper, or use ssh',
    )
  }
  if (text.trim() === '') return refused('is empty', 'name a path or a URL')
  if (text.startsWith('-') || /^[a-z+]*:?\/\/-/i.test(text) || /@-/.test(text.split('/')[0] ?? '')) {
    return refused('begins like an option', 'write ./ before a path that begins with a dash')
  }
  if (/^[^/]*::/.test(text)) return refused('names a helper program of git', helped)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) {
    return schemes.includes(scheme) ? { kind: 'url', url: text } : refused(`is of kind ${scheme}`, helped)
  }
  // As git reads it: a colon before any slash parts a machine from a path there.
  if (/^[^/]*:/.test(text)) {
    return /^[^/:\s]+:[^\s].*$/.test(text) ? { kind: 'url', url: text } : refused('is no path and no address', helped)
  }
  if (/^~[^/]/.test(text)) return refused("is in another user's home", 'write the whole path')
  return { kind: 'path', path: text }
}

const schemes: readonly string[] = ['https', 'http', 'ssh', 'git', 'file']
const helped = `write a path, or an address that git fetches from (${schemes.join(', ')}, or user@host:path)`

/** A name alone is none: `git@host`, `https://jo@host`. A key of the known forms is, wherever it stands. */
function holdsSecret(text: string): boolean {
  const [, scheme = '', user = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i.exec(text) ?? []
  const rest = user === '' ? text : scheme + text.slice(scheme.length + user.length + 1)
  return user.includes(':') || [user, rest].some((part) => maskSecretShapes(part) !== part)
}

const refused = (says: string, fix: string): RepoAddress => ({ kind: 'refused', says, fix })
