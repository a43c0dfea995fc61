import type { ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { ChangeDeps } from './file-deps.ts'
import { refuse } from './file-result.ts'
import { patchFiles } from './patch/patch-files.ts'
import { replaceText } from './patch/replace-text.ts'

/** What tool `patch` does; loaded at its first use. */
export async function applyPatch(
  deps: ChangeDeps,
  { path, old, new: next, all, patch }: ToolArguments,
  order: Pick<ToolOrder, 'signal'>,
): Promise<ToolResult> {
  const single = [path, old, next].filter((value) => value !== undefined).length
  if (patch !== undefined && single === 0) return await patchFiles(deps, String(patch), order)
  if (patch !== undefined && patch !== '') {
    return refuse('patch', 'it takes either path, old and new, or patch alone, not both', ['edit_refused'])
  }
  if (single !== 3 || path === '') {
    return refuse('patch', 'it takes path, old and new for one file, or patch for many', ['edit_refused'])
  }
  const edit = { path: String(path), old: String(old), next: String(next) }
  return await replaceText(deps, { ...edit, which: all === true ? 'all' : 'one' }, order)
}
