import type { Tool } from '../tool.ts'
import type { SearchDeps } from './file-deps.ts'
import { maskResult } from './file-result.ts'

/** Searches what files hold, or their names. Never holds up the worker: a pattern that does not come to an end is cut off. */
export const createSearchTool = (deps: SearchDeps): Tool => ({
  name: 'search',
  means:
    'Search the lines of text files by pattern, or with glob alone list file names. Skips .git, node_modules, ignored and binary files.',
  fields: [
    { name: 'pattern', type: 'string', means: 'regular expression', required: false },
    { name: 'glob', type: 'string', means: 'only files like src/**/*.ts or *.md', required: false },
    { name: 'path', type: 'string', means: 'only in this folder or file', required: false },
    { name: 'plain', type: 'boolean', means: 'pattern is plain text', required: false },
    { name: 'ignore_case', type: 'boolean', means: 'of pattern', required: false },
  ],
  effect: 'reads',
  run: async (args, order) => {
    const { searchFiles } = await import('./search-files.ts')
    return maskResult(deps.maskKnown, await searchFiles(deps, args, order))
  },
})
