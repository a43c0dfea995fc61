import type { Client } from '../../api/client/index.ts'

/** After this long without a hub, agent cards do not start by themselves (files-and-cli section 4). */
const longRestMs = 12 * 3_600_000

/**
 * How many agent cards would start at once after a long rest; 0 when the rest was short. A board that was forgotten
 * for a night must not spend money the moment somebody types `up`.
 */
export async function readyAfterLongRest(client: Client, nowMs: number): Promise<number> {
  const { last_seq, counts } = await client.health()
  if ((counts.ready ?? 0) === 0 || last_seq === 0) return 0
  const [last] = await client.eventsPage(last_seq - 1, 1)
  if (last === undefined || nowMs - Date.parse(last.at) < longRestMs) return 0
  const page = await client.listTasks({ status: 'ready', limit: 1_000 })
  return page.rows.filter((task) => task.kind === 'prompt').length
}
