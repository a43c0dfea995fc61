import { cutAtWord, describeDuration } from '../../kernel/index.ts'
import type { CommandDesk } from '../tools/terminal/command-desk.ts'
import type { Tool, ToolResult } from '../tools/tool.ts'

/** The calls that say the work is over. */
const endings = new Set(['complete', 'review'])

/**
 * The same tools, and the first end that would also end a command in the background is refused, once for each command: one that a
 * comment has sent there may be the very test that the model was waiting for.
 */
export function askBeforeEnding(tools: readonly Tool[], commands: Pick<CommandDesk, 'inBackground'>): readonly Tool[] {
  const told = new Set<string>()
  return tools.map((tool) =>
    endings.has(tool.name)
      ? {
          ...tool,
          run: async (args, order) => {
            const untold = commands.inBackground().filter(({ id }) => !told.has(id))
            for (const { id } of untold) told.add(id)
            return untold.length === 0 ? await tool.run(args, order) : refused(tool.name, untold)
          },
        }
      : tool,
  )
}

function refused(name: string, running: ReturnType<CommandDesk['inBackground']>): ToolResult {
  const which = running
    .map(({ id, command, elapsedMs }) => `${id} (${oneLine(command)}, for ${describeDuration(elapsedMs)})`)
    .join(', ')
  const says = `still running: ${which}. It ends with you: wait for it or kill it with process, or call ${name} again if that is meant`
  return { text: `error: ${says}`, summary: `${name} refused: ${says}`, outcome: 'failed' }
}

const oneLine = (command: string): string => cutAtWord(command.replace(/\s+/g, ' ').trim(), 80)
