import { emptyConfig, type LaneConfig } from '../kernel/config/index.ts'
import { formatCount, formatDuration } from '../kernel/index.ts'

/** One setting of a lane under its public name, as it would be written, and whether the lane says it. */
export interface LaneSetting {
  readonly field: string
  readonly value: unknown
  readonly from: 'lane' | 'built in'
}

/**
 * What a lane says of its agents besides what a task may say, too. Of a secret only that there is one. What is not said and left
 * to the agent or its provider is left out.
 */
export function laneSettings(lane: LaneConfig): readonly LaneSetting[] {
  const secrets = Object.keys(lane.secretEnv).map((name) => row(`env.${name}`, 'set, a secret'))
  if (lane.uses !== 'chat') return secrets
  const { chat, model, system } = lane
  const { timeouts } = chat
  const models = [...(model === null ? [] : [model]), ...chat.fallbacks]
  const said: Readonly<Record<string, unknown>> = {
    model: models.length > 1 ? models : (models[0] ?? null),
    system,
    tools: chat.tools,
    tools_off: chat.toolsOff,
    turns: chat.turns,
    'timeouts.first_byte': written(timeouts.firstByteMs, formatDuration),
    'timeouts.first_event': written(timeouts.firstEventMs, formatDuration),
    'timeouts.idle': written(timeouts.idleMs, formatDuration),
    'timeouts.call': written(timeouts.callMs, formatDuration),
    temperature: chat.temperature,
    reasoning: chat.reasoning,
    output_tokens: written(chat.outputTokens, formatCount),
    context_tokens: written(chat.contextTokens, formatCount),
    headers: chat.headers,
    api: chat.api,
    sandbox: chat.sandbox,
    denied_commands: chat.deniedCommands,
    approval_commands: chat.approvalCommands,
    heartbeat: typeof chat.heartbeatMs === 'number' ? formatDuration(chat.heartbeatMs) : chat.heartbeatMs,
    transcript: chat.transcript,
    grants: chat.grants,
    agents_may_start: chat.agentsMayStart,
  }
  const rows = Object.entries(said).map(([field, value]) => row(field, value, builtIn[field]))
  return [...rows.filter(({ value }) => value !== null && !isEmpty(value)), ...secrets]
}

/** Where nobody says anything; of what is not here, saying it is all that makes it be there. */
const builtIn: Readonly<Record<string, unknown>> = {
  api: emptyConfig(1).lanes.chat?.chat.api,
  sandbox: emptyConfig(1).lanes.chat?.chat.sandbox,
  transcript: emptyConfig(1).lanes.chat?.chat.transcript,
  agents_may_start: emptyConfig(1).lanes.chat?.chat.agentsMayStart,
}

const row = (field: string, value: unknown, byDefault?: unknown): LaneSetting => ({
  field,
  value,
  from: byDefault !== undefined && value === byDefault ? 'built in' : 'lane',
})

const written = <Value>(value: Value | null, format: (value: Value) => unknown) =>
  value === null ? null : format(value)

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
