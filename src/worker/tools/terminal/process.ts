import type { Tool } from '../tool.ts'
import type { CommandDesk } from './command-desk.ts'

/** Looks after the commands that run in the background. */
export const createProcessTool = (desk: CommandDesk): Tool => ({
  name: 'process',
  means: 'Look after your background commands. All are ended when you end.',
  fields: [
    {
      name: 'action',
      type: 'string',
      means: 'poll: output since the last look; wait: until it ends; log: any stretch of output',
      required: true,
      oneOf: ['list', 'poll', 'wait', 'log', 'kill'],
    },
    { name: 'id', type: 'string', means: 'as P1; not for list', required: false },
    {
      name: 'timeout_seconds',
      type: 'integer',
      means: 'for wait, default 60',
      required: false,
      least: 1,
      most: longestWaitS,
    },
    { name: 'offset', type: 'integer', means: 'for log: first byte; without it the end', required: false, least: 0 },
    { name: 'bytes', type: 'integer', means: 'for log', required: false, least: 1, most: mostLogBytes },
  ],
  effect: 'reads',
  run: async (args, order) => (await desk.load()).actOnProcess(args, order),
})

const longestWaitS = 600
const mostLogBytes = 30_000
