import { builtInBaseUrl, type ChatLaneConfig, type ModelPrice } from '../kernel/index.ts'
import type { ChatSettings } from './chat-settings.ts'

/** What a lane and its account say of how our own agent works, decided at the claim and stored with the run. It holds no secret. */
export type ChatPlan = Omit<
  ChatSettings,
  'schema' | 'keyless' | 'runMs' | 'budget' | 'grants' | 'continues' | 'lastReason'
>

/** Where nobody says anything: the agent's own defaults hold. */
export const builtInChatPlan: Omit<ChatPlan, 'models' | 'baseUrl'> = {
  api: 'chat_completions',
  system: null,
  headers: {},
  temperature: null,
  reasoning: null,
  maxOutputTokens: null,
  contextTokens: null,
  tools: null,
  toolsOff: [],
  sandbox: 'none',
  hidden: [],
  deniedCommands: [],
  approvalCommands: [],
  heartbeatMs: null,
  maxTurns: null,
  timeouts: { firstByteMs: null, firstEventMs: null, idleMs: null, callMs: null },
  prices: {},
  transcript: 'on',
}

/** What of a lane's configuration it is made of. */
interface LaneOfChat {
  readonly model: string | null
  readonly system: string | null
  readonly chat: ChatLaneConfig
  readonly secretEnv: Readonly<Record<string, object>>
}

interface AccountOfChat {
  readonly baseUrl: string | null
  readonly key?: object | 'none'
  readonly prices?: Readonly<Record<string, ModelPrice>>
}

/** Of prices only those of the lane's own models, so that a plan stays small. */
export function buildChatPlan(lane: LaneOfChat, account: AccountOfChat | undefined): ChatPlan {
  const { chat, model, system } = lane
  const models = [...(model === null ? [] : [model]), ...chat.fallbacks]
  const known = Object.entries(account?.prices ?? {})
  return {
    models,
    baseUrl: account?.baseUrl ?? builtInBaseUrl,
    api: chat.api,
    system,
    headers: chat.headers,
    temperature: chat.temperature,
    reasoning: chat.reasoning,
    maxOutputTokens: chat.outputTokens,
    contextTokens: chat.contextTokens,
    tools: chat.tools,
    toolsOff: chat.toolsOff,
    sandbox: chat.sandbox,
    hidden: [...new Set([account?.key, ...Object.values(lane.secretEnv)].flatMap(fileOf))],
    deniedCommands: chat.deniedCommands,
    approvalCommands: chat.approvalCommands,
    heartbeatMs: chat.heartbeatMs === 'off' ? 0 : chat.heartbeatMs,
    maxTurns: chat.turns,
    timeouts: chat.timeouts,
    prices: Object.fromEntries(known.filter(([name]) => models.includes(name))),
    transcript: chat.transcript,
  }
}

/** Where a secret is read from, if that is a file. */
const fileOf = (place: object | 'none' | undefined): readonly string[] =>
  typeof place === 'object' && 'file' in place && typeof place.file === 'string' ? [place.file] : []
