/**
 * All that a worker with a token loads of its board, in one piece that others never load: the client of the API, the line to the
 * hub, and the tools.
 */
export {
  type BoardConnection,
  type BoardDeps,
  type BoardInput,
  type BoardOpening,
  connectBoard,
} from './connect-board.ts'
export { type BoardToolsInput, createBoardTools } from './tools/board-tools.ts'
