import type { Tool } from '../tool.ts'
import { mostReadLines, type ReadDeps } from './file-deps.ts'
import { maskResult } from './file-result.ts'

/** Reads a text file of the workspace, or one that was given with the task, or a part of it; lists a folder. */
export const createReadTool = (deps: ReadDeps): Tool => ({
  name: 'read',
  means: `Read a text file, at most ${mostReadLines} lines. Each line comes after its number and a tab. Of a folder: its names.`,
  fields: [
    {
      name: 'path',
      type: 'string',
      means: 'relative to the workspace, or the whole path of a file that was given',
      required: true,
    },
    { name: 'offset', type: 'integer', means: 'first line, from 1', required: false, least: 1 },
    { name: 'limit', type: 'integer', means: 'how many lines', required: false, least: 1, most: mostReadLines },
  ],
  effect: 'reads',
  run: async (args) => {
    const { readLines } = await import('./read-lines.ts')
    return maskResult(deps.maskKnown, await readLines(deps, args))
  },
})
