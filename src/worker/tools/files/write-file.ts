import type { Tool } from '../tool.ts'
import type { ChangeDeps } from './file-deps.ts'
import { maskResult } from './file-result.ts'

/** Writes a whole file of the workspace: by a second file and a rename, so that nobody ever sees half of it. */
export const createWriteTool = (deps: ChangeDeps): Tool => ({
  name: 'write',
  means:
    'Write a whole file. One that exists must have been read first. Missing folders are made. For parts use patch.',
  fields: [
    { name: 'path', type: 'string', means: 'relative to the workspace', required: true },
    { name: 'content', type: 'string', means: 'the whole text', required: true, mayBeEmpty: true },
  ],
  effect: 'writes',
  run: async (args, order) => {
    const { writeWhole } = await import('./write-whole.ts')
    return maskResult(deps.maskKnown, await writeWhole(deps, args, order))
  },
})
