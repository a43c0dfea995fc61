import { loadYardConfig, readKey, type YardConfig } from '../../kernel/config/index.ts'
import { builtInTokens, suggestName } from '../../kernel/index.ts'
import { buildChatPlan, type ChatSettings } from '../../runs/index.ts'
import type { TakenEnvironment } from './take-environment.ts'

export type ReadLane =
  | { readonly ok: true; readonly settings: ChatSettings; readonly apiKey?: string }
  | { readonly ok: false; readonly faults: readonly string[] }

/**
 * A lane of the yard whose file counts in `folder`, as the hub would use it: account with its key, models, system prompt,
 * tools and limits. Of the lane only what our agent can use by itself: slots, exit rules and pools are the hub's.
 */
export async function readLane(
  name: string,
  { folder, taken }: { readonly folder: string; readonly taken: TakenEnvironment },
): Promise<ReadLane> {
  const env = { ...taken.env, ...taken.removed }
  const config = loadYardConfig({ explicit: undefined, env, cwd: folder, home: env.HOME ?? '/' })
  const lane = config.lanes[name]
  if (lane === undefined)
    return refused(`--lane ${name} is not in ${config.file ?? noFile}: ${suggestName(name, chatLanes(config))}`)
  if (lane.uses !== 'chat')
    return refused(`--lane ${name} uses ${lane.uses}, not chat: ${suggestName('chat', chatLanes(config))}`)
  const account = config.accounts[lane.account ?? '']
  if (account === undefined) return refused(`--lane ${name} has no account`)
  const secret = await readKey(account.key, { env })
  if (!secret.ok) return refused(`--lane ${name}: the key of account ${lane.account} cannot be had: ${secret.says}`)
  return {
    ok: true,
    settings: {
      schema: 1,
      ...buildChatPlan(lane, account),
      keyless: secret.value === null,
      runMs: lane.timeoutMs,
      budget: { tokens: limitOf(lane.budget.budgetTokens, builtInTokens), usd: limitOf(lane.budget.budgetUsd, null) },
      grants: [],
      continues: null,
    },
    ...(secret.value === null ? {} : { apiKey: secret.value }),
  }
}

const limitOf = (limit: number | 'off' | undefined, builtIn: number | null): number | null =>
  limit === undefined ? builtIn : limit === 'off' ? null : limit

const refused = (fault: string): ReadLane => ({ ok: false, faults: [fault] })

const chatLanes = ({ lanes }: YardConfig): readonly string[] =>
  Object.keys(lanes).filter((name) => lanes[name]?.uses === 'chat')

const noFile = 'a yardmaster.yaml, for there is none from here upwards'
