/**
 * All that a worker with a token loads of its board, in one piece that others never load: the client of the API, the line to the
 * hub, and the tools.
 */
export { type BoardConnection, type BoardInput, connectBoard } from './connect-board.ts'
export { createBoardTools } from './tools/board-tools.ts'
