import type { Grant } from '../../../kernel/index.ts'
import type { Tool } from '../../tools/tool.ts'
import type { BoardConnection } from '../connect-board.ts'
import { createAttachTool } from './attach-tool.ts'
import type { BoardToolDeps } from './board-tool.ts'
import { createBlockTool, createCompleteTool, createReviewTool } from './ending-tools.ts'
import { createListTool, createShowTool } from './reading-tools.ts'
import { createCommentTool, createCreateTool, createHeartbeatTool, createLinkTool } from './speaking-tools.ts'

export interface BoardToolsInput extends Omit<BoardToolDeps, 'line'> {
  readonly board: Pick<BoardConnection, 'line' | 'link'>
  /** The hub checks them again at each call; a model is not even told of what it may not do. */
  readonly grants: readonly Grant[]
  readonly workspace: string
  readonly handedBack: string[]
}

/** The tools of a worker that speaks with its board, in the order in which the model is told of them. */
export function createBoardTools({
  board,
  grants,
  workspace,
  handedBack,
  redact,
  maskKnown,
}: BoardToolsInput): readonly Tool[] {
  const deps = { line: board.line, redact, maskKnown }
  const speaking = { ...deps, grants }
  const ending = { link: board.link, grants, handedBack, redact }
  return [
    createShowTool(deps),
    createListTool(deps),
    createCommentTool(speaking),
    createHeartbeatTool(deps),
    ...(grants.includes('create') ? [createCreateTool(speaking)] : []),
    ...(grants.includes('link') ? [createLinkTool(deps)] : []),
    createAttachTool({ ...deps, workspace, handedBack }),
    createCompleteTool(ending),
    createBlockTool(ending),
    createReviewTool(ending),
  ]
}
