import type { Tool } from '../tool.ts'
import type { ChangeDeps } from './file-deps.ts'
import { maskResult } from './file-result.ts'

const patchForm = `*** Begin Patch
*** Update File: a.ts
*** Move to: b.ts
@@ function go() {
 stays
-goes
+comes
*** Add File: c.ts
+text
*** Delete File: d.ts
*** End Patch`

/** Changes parts of files: one text for another, or a patch over many files that is applied as a whole or not at all. */
export const createPatchTool = (deps: ChangeDeps): Tool => ({
  name: 'patch',
  means:
    'Change parts of files. Either path, old and new: old must fit in one place, so give it lines around. ' +
    'Or patch, for many files at once, all or nothing. Its lines: @@ and a line above are needed only where a change fits twice; ' +
    '*** End of File says that it is there.',
  fields: [
    { name: 'path', type: 'string', means: 'file to change', required: false },
    { name: 'old', type: 'string', means: 'text that is there, to the letter', required: false },
    { name: 'new', type: 'string', means: 'text in its place', required: false },
    { name: 'all', type: 'boolean', means: 'change each occurrence', required: false },
    { name: 'patch', type: 'string', means: patchForm, required: false },
  ],
  effect: 'writes',
  run: async (args, order) => {
    const { applyPatch } = await import('./apply-patch.ts')
    return maskResult(deps.maskKnown, await applyPatch(deps, args, order))
  },
})
