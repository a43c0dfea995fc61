import { findPlaceholders, refPlaceholders, splitNeed } from './placeholders.ts'

/**
 * Why a text cannot name a branch, a tag or a commit, in words that follow the name of the field; undefined where it can.
 * What a need leaves (`${{ needs.KEY.branch }}`) may stand in it: it is filled when the task starts.
 */
export function whyNoRef(text: string): { readonly says: string; readonly fix: string } | undefined {
  const placeholders = findPlaceholders(text)
  for (const { scope, name, written } of placeholders) {
    const field = splitNeed(name)?.field
    if (scope !== 'needs' || field === undefined || !(refPlaceholders as readonly string[]).includes(field)) {
      return { says: `holds ${written}`, fix: `write needs.TASK.FIELD; FIELD is ${refPlaceholders.join(', ')}` }
    }
  }
  const bare = placeholders.reduce((rest, { written }) => rest.replace(written, 'x'), text)
  if (bare.startsWith('-')) return { says: 'begins like an option', fix: 'name a branch, a tag or a commit' }
  if (bare !== '' && !unfit.test(bare)) return undefined
  return { says: `names no branch, tag or commit: ${JSON.stringify(text)}`, fix: 'write one that git rev-parse knows' }
}

/** What git allows in no name of a ref, but for what walks from one to its parents (`main~2`, `v1^{commit}`). */
const unfit = /[\p{Cc}\s:?*[\\]|\.\.|\/\/|\.lock(\/|$)|^\/|\/$/u
