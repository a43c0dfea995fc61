import { formatTaskId, type TaskId } from '../kernel/index.ts'

/** Of the whole name, as a customer reads it: also a folder name, a URL part, a column. */
export const longestBranchBytes = 60

/** All branches of ours lie in it. */
export const branchFolder = 'yard'

/**
 * `yard/t5-fix-flaky-login-test`: ASCII, lower case, at most 60 bytes, and always a name that git takes. Where the title
 * has no letter or digit that is ASCII, `yard/t5`. `copy` 2 and more for a name that is taken: `yard/t5-fix-2`.
 */
export function branchName(task: TaskId, title: string, copy = 1): string {
  const id = `${branchFolder}/${formatTaskId(task).toLowerCase()}`
  const suffix = copy === 1 ? '' : `-${copy}`
  const slug = slugOf(title).slice(0, longestBranchBytes - id.length - 1 - suffix.length)
  const name = slug === '' ? id : `${id}-${slug.replace(/-+$/, '')}`
  return `${name}${suffix}`
}

/** Accents fall off their letters; all else that is no ASCII letter or digit parts words. So no dot, and no `.lock`. */
function slugOf(title: string): string {
  return title
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}
