import type { Tool } from '../tool.ts'
import type { CommandDesk } from './command-desk.ts'

/** Runs a command in the workspace. */
export const createTerminalTool = (desk: CommandDesk): Tool => ({
  name: 'terminal',
  means:
    'Run a bash command and wait for its end. It gets no input. Servers and what never ends: background true, ' +
    'never & or nohup. Long output is cut in the middle, the whole of it kept in a file.',
  fields: [
    { name: 'command', type: 'string', means: 'bash command', required: true },
    {
      name: 'timeout_seconds',
      type: 'integer',
      means: `how long it may run, ${desk.commandTimeoutMs / 1_000} if not said; over 600 it goes on in the background`,
      required: false,
      least: 1,
      most: longestTimeoutS,
    },
    {
      name: 'background',
      type: 'boolean',
      means: 'answer at once with an id; see tool process',
      required: false,
    },
    { name: 'cwd', type: 'string', means: 'folder in the workspace', required: false },
  ],
  effect: 'writes',
  run: async (args, order) => (await desk.load()).runInTerminal(args, order),
})

/** A week: what is longer is a mistake. */
const longestTimeoutS = 604_800
