import { batchStatements } from './batch-statements.ts'
import { boardStatements } from './board-statements.ts'
import { codeStatements } from './code-statements.ts'
import { copyStatements } from './copy-statements.ts'
import type { Database } from './database.ts'
import { historyStatements } from './history-statements.ts'
import { hubStatements } from './hub-statements.ts'
import { needStatements } from './need-statements.ts'
import { queueStatements } from './queue-statements.ts'
import { retentionStatements } from './retention-statements.ts'
import { runCallStatements } from './run-call-statements.ts'
import { runStatements } from './run-statements.ts'
import { taskStatements } from './task-statements.ts'
import { yardStatements } from './yard-statements.ts'

/** Every statement of the board as one typed function each, on one open file. */
export type Store = ReturnType<typeof buildStore>

export function buildStore(db: Database) {
  return {
    ...boardStatements(db),
    ...batchStatements(db),
    ...taskStatements(db),
    ...needStatements(db),
    ...queueStatements(db),
    ...runStatements(db),
    ...runCallStatements(db),
    ...codeStatements(db),
    ...yardStatements(db),
    ...historyStatements(db),
    ...retentionStatements(db),
    ...copyStatements(db),
    ...hubStatements(db),
  }
}
