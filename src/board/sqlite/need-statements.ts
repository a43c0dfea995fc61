import type { TaskId } from '../../kernel/index.ts'
import type { TaskStatus } from '../status.ts'
import type { Need } from '../task.ts'
import type { Database } from './database.ts'
import childrenOfSql from './statements/children-of.sql'
import deleteNeedSql from './statements/delete-need.sql'
import deleteNeedsSql from './statements/delete-needs.sql'
import insertNeedSql from './statements/insert-need.sql'
import linksOfSql from './statements/links-of.sql'
import needsOfSql from './statements/needs-of.sql'
import needsOfTasksSql from './statements/needs-of-tasks.sql'
import softenNeedSql from './statements/soften-need.sql'

type OfTask = { task: TaskId }
type NeedRow = { on_task: TaskId; on_end: Need['when']; status: TaskStatus; title: string }

/** One typed function for each statement about links between cards. */
export function needStatements(db: Database) {
  const needsOf = db.many<OfTask, NeedRow>(needsOfSql)
  const linksOf = db.many<OfTask, { on_task: TaskId }>(linksOfSql)
  const childrenOf = db.many<OfTask, { task: TaskId; on_end: Need['when'] }>(childrenOfSql)

  const needsOfTasks = db.many<{ tasks: string }, { task: TaskId; on_task: TaskId; on_end: Need['when'] }>(
    needsOfTasksSql,
  )
  return {
    insertNeed: db.change<OfTask & { onTask: TaskId; onEnd: Need['when'] }>(insertNeedSql),
    /** 1 when there was one. */
    deleteNeed: db.change<OfTask & { onTask: TaskId }>(deleteNeedSql),
    /** 1 when it asked for more than any end until now. */
    softenNeed: db.change<OfTask & { onTask: TaskId }>(softenNeedSql),
    deleteNeeds: db.change<OfTask>(deleteNeedsSql),
    needsOf: (task: TaskId): readonly (Need & { readonly status: TaskStatus; readonly title: string })[] =>
      needsOf({ task }).map((row) => ({ task: row.on_task, when: row.on_end, status: row.status, title: row.title })),
    needsOfTasks: (tasks: readonly TaskId[]) => needsOfTasks({ tasks: JSON.stringify(tasks) }),
    linksOf: (task: TaskId): readonly TaskId[] => linksOf({ task }).map((row) => row.on_task),
    childrenOf: (task: TaskId): readonly Need[] =>
      childrenOf({ task }).map((row) => ({ task: row.task, when: row.on_end })),
  }
}
