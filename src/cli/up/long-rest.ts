import type { Client } from '../../api/client/index.ts'
import { taskPages } from '../targets/all-tasks.ts'

/** After this long without a hub, agent cards do not start by themselves (files-and-cli section 4). */
const longRestMs = 12 * 3_600_000

/**
 * How many agent cards would start at once after a long rest; 0 when the rest was short. A board that was forgotten
 * for a night must not spend money the moment somebody types `up`. What people do without a hub does not end its rest;
 * where there never was one, the rest began with the first card.
 */
export async function readyAfterLongRest(client: Client, nowMs: number): Promise<number> {
  const { last_hub_at, counts } = await client.health()
  if ((counts.ready ?? 0) === 0) return 0
  const since = last_hub_at ?? (await client.eventsPage(0, 1))[0]?.at
  if (since === undefined || nowMs - Date.parse(since) < longRestMs) return 0
  let ready = 0
  for await (const rows of taskPages(client, { status: 'ready' })) {
    ready += rows.filter(({ kind }) => kind === 'prompt').length
  }
  return ready
}
