/** Longest name of a patch file, its ending included: fits every file system, and reads in a listing. */
const longestSlug = 60

/**
 * `T5-src-cart-ts.patch`: the name of a task's patch in a report, safe wherever it is unpacked (ASCII, no blank, no
 * dot but the last), and the task's own however alike two keys are.
 */
export function patchFileName({ task, key }: { readonly task: number; readonly key: string }): string {
  const slug = key
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '')
  return `T${task}${slug === '' ? '' : `-${slug}`}.patch`
}

/** Whether a file of this name is one that a report of ours has put there. */
export const isPatchFileName = (name: string): boolean => /^T[1-9]\d*(-[a-z0-9-]+)?\.patch$/.test(name)
