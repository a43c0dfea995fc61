import type { Tool } from '../tool.ts'
import type { ChangeDeps } from './file-deps.ts'
import { maskResult } from './file-result.ts'

/** Changes parts of files: one text for another, or a patch over many files that is applied as a whole or not at all. */
export const createPatchTool = (deps: ChangeDeps): Tool => ({
  name: 'patch',
  means:
    'Change parts of files. One file: path, old (occurs once; with enough lines around it), new. Many files, all or nothing: patch, as ' +
    '*** Begin Patch / *** Update File: p (next line may be *** Move to: q) / @@ line above, if needed / lines beginning with space, - or + / ' +
    '*** End of File, at its end / *** Add File: p with + lines / *** Delete File: p / *** End Patch.',
  fields: [
    { name: 'path', type: 'string', means: 'file to change', required: false },
    { name: 'old', type: 'string', means: 'text that is there, to the letter', required: false },
    { name: 'new', type: 'string', means: 'text in its place', required: false },
    { name: 'all', type: 'boolean', means: 'change each occurrence', required: false },
    { name: 'patch', type: 'string', means: 'patch, instead of the others', required: false },
  ],
  effect: 'writes',
  run: async (args, order) => {
    const { applyPatch } = await import('./apply-patch.ts')
    return maskResult(deps.maskKnown, await applyPatch(deps, args, order))
  },
})
