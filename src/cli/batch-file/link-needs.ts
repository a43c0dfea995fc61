import type { BatchTaskBody } from '../../api/contract/index.ts'
import { findCycle, suggestName } from '../../kernel/index.ts'
import type { BatchRow } from './expand-task.ts'

export type Link = NonNullable<BatchTaskBody['needs']>[number]

export interface LinkedRows {
  /** By row key: the rows that must end first. */
  readonly links: ReadonlyMap<string, readonly Link[]>
  readonly faults: readonly LinkFault[]
}

export interface LinkFault {
  /** Key of the task in the file. */
  readonly task: string
  readonly says: string
  readonly fix: string
}

/**
 * Each row's needs as row keys: a need on a task with a matrix means all its rows; a need that is named twice counts
 * once, the stricter way. Needs that name nothing get the nearest key; a cycle is named from its first task around.
 * `unread`: tasks of the file that have faults of their own and so no rows; needing them is no fault.
 */
export function linkNeeds(rows: readonly BatchRow[], unread: ReadonlySet<string>): LinkedRows {
  const rowsOfTask = groupByTask(rows)
  const rowKeys = new Set(rows.map((row) => row.key))
  const faults = new Map<string, LinkFault>()
  const links = new Map<string, readonly Link[]>()
  for (const row of rows) {
    const linked = new Map<string, Link>()
    for (const { on, when } of row.needs) {
      const targets = rowsOfTask.get(on)?.map(({ key }) => key) ?? (rowKeys.has(on) ? [on] : undefined)
      // An unfilled placeholder is a fault of its own.
      const isTold = unread.has(on.replace(/\[.*$/s, '')) || on.includes('${{')
      if (targets === undefined && !isTold)
        faults.set(
          `${row.task} ${on}`,
          unknownNeed(row.task, on, { tasks: [...new Set([...rowsOfTask.keys(), ...unread])], rowKeys }),
        )
      for (const task of targets ?? []) {
        if (linked.get(task)?.when !== 'done') linked.set(task, { task, when })
      }
    }
    links.set(row.key, [...linked.values()])
  }
  const cycle = findCycle(links.keys(), (key) => (links.get(key) ?? []).map(({ task }) => task))
  if (cycle !== undefined) {
    const task = rows.find(({ key }) => key === cycle[0])?.task ?? ''
    faults.set('cycle', {
      task,
      says: `waits for itself: ${cycle.join(' needs ')}`,
      fix: 'take one of these needs out',
    })
  }
  return { links, faults: [...faults.values()] }
}

function groupByTask(rows: readonly BatchRow[]): ReadonlyMap<string, readonly BatchRow[]> {
  const groups = new Map<string, BatchRow[]>()
  for (const row of rows) {
    const group = groups.get(row.task)
    if (group === undefined) groups.set(row.task, [row])
    else group.push(row)
  }
  return groups
}

function unknownNeed(
  task: string,
  on: string,
  known: { readonly tasks: readonly string[]; readonly rowKeys: ReadonlySet<string> },
): LinkFault {
  // Row keys are many and long; they are offered only to who wrote one.
  const names = on.includes('[') ? [...known.rowKeys] : known.tasks
  return { task, says: `needs ${on}, which is no task of this file`, fix: suggestName(on, names) }
}
