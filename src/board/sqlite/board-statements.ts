import type { RunId } from '../../kernel/index.ts'
import type { TaskStatus } from '../status.ts'
import type { Database } from './database.ts'
import countBoardTasksSql from './statements/count-board-tasks.sql'
import insertBoardSql from './statements/insert-board.sql'
import serveBoardSql from './statements/serve-board.sql'

/** One typed function for each statement about boards. */
export function boardStatements(db: Database) {
  return {
    /** 1 when the board is new. */
    insertBoard: db.change<{ board: string; nowMs: number }>(insertBoardSql),
    serveBoard: db.change<{ board: string; run: RunId }>(serveBoardSql),
    countBoardTasks: db.many<{ board: string | null }, { status: TaskStatus; tasks: number; archived: number }>(
      countBoardTasksSql,
    ),
  }
}
