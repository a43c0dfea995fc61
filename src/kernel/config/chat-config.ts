import { type ChatLaneConfig, isFields, isSecretName, maskSecretShapes, parseCount, parseDuration } from '../index.ts'
import { beyondCounting, isBeyondCounting } from './amounts.ts'
import type { WrittenBudget, WrittenLane } from './config-schema.ts'
import type { Path } from './fault.ts'
import type { BudgetConfig, LaneConfig, YardConfig } from './yard-config.ts'

interface Found {
  readonly path: Path
  readonly says: string
  readonly fix: string
}

/** The rules between the fields of a lane of our own agent that have the right shape. */
export function chatFaults(path: Path, lane: WrittenLane): readonly Found[] {
  return [
    ...timeoutFaults([...path, 'timeouts'], lane),
    ...countFaults(path, lane),
    ...headerFaults([...path, 'headers'], lane.headers),
    ...toolFaults(path, lane),
    ...heartbeatFaults([...path, 'heartbeat'], lane),
    ...grantFaults(path, lane),
    ...modelFaults(path, lane),
  ]
}

const longestCallMs = 24 * 3_600_000

function timeoutFaults(path: Path, { timeouts, timeout }: WrittenLane): readonly Found[] {
  if (!isFields(timeouts)) return []
  const runMs = msOf(timeout)
  const callMs = msOf(timeouts.call)
  return Object.entries(timeouts).flatMap(([name, text]): readonly Found[] => {
    if (isBeyondCounting(text)) return [{ path: [...path, name], ...beyondCounting(text) }]
    const ms = msOf(text)
    if (ms !== null && ms > longestCallMs) {
      return [{ path: [...path, name], says: `(${text}) is longer than a day`, fix: 'lower it' }]
    }
    if (name !== 'call' && ms !== null && callMs !== null && ms > callMs) {
      const says = `(${text}) is longer than call (${timeouts.call}), which would always end it first`
      return [{ path: [...path, name], says, fix: 'lower it, or raise call' }]
    }
    if (ms !== null && runMs !== null && ms > runMs) {
      const says = `(${text}) is longer than timeout (${timeout}), the time of a whole attempt`
      return [{ path: [...path, name], says, fix: 'lower it, or raise timeout' }]
    }
    return []
  })
}

function countFaults(path: Path, lane: WrittenLane): readonly Found[] {
  const faults = (['output_tokens', 'context_tokens'] as const).flatMap((field) =>
    isNoCount(lane[field]) ? [{ path: [...path, field], ...noCount(lane[field]) }] : [],
  )
  const output = countOf(lane.output_tokens)
  const context = countOf(lane.context_tokens)
  if (output === null || context === null || output < context) return faults
  const says = `(${lane.output_tokens}) leaves no room for a question in context_tokens (${lane.context_tokens})`
  return [...faults, { path: [...path, 'output_tokens'], says, fix: 'lower it, or raise context_tokens' }]
}

/** Amounts of a budget that no attempt could have. `path` is where the budget stands. */
export function budgetFaults(path: Path, budget: unknown): readonly Found[] {
  const tokens = isFields(budget) ? budget.tokens : undefined
  return isNoCount(tokens) ? [{ path: [...path, 'tokens'], ...noCount(tokens) }] : []
}

const isNoCount = (value: unknown): value is string =>
  typeof value === 'string' && /^[\d.]+[kM]$/.test(value) && parseCount(value) === undefined

const noCount = (value: unknown) => ({
  says: `(${value}) is no whole number`,
  fix: 'write a number such as 500k or 5M',
})

/** Said by the client of the provider for each call; another one would break it. */
const ownHeaders = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** They carry a credential under a name that does not sound like one. */
const credentialHeaders = /(^|-)(authorization|authentication|cookie2?|auth|key|signature|session|jwt|bearer)(-|$)/i

function headerFaults(path: Path, headers: unknown): readonly Found[] {
  if (!isFields(headers)) return []
  const seen = new Set<string>()
  return Object.entries(headers).flatMap(([name, value]): readonly Found[] => {
    const lower = name.toLowerCase()
    const isTwice = seen.has(lower)
    seen.add(lower)
    if (isCredential(name, value)) {
      return [{ path: [...path, name], says: 'is a credential, which would be stored', fix: "use the account's key" }]
    }
    if (ownHeaders.has(lower))
      return [{ path: [...path, name], says: 'is set by the client itself', fix: 'take it out' }]
    if (isTwice) return [{ path: [...path, name], says: 'stands there twice', fix: 'keep one of them' }]
    return []
  })
}

function isCredential(name: string, value: unknown): boolean {
  if (credentialHeaders.test(name) || isSecretName(name.replaceAll('-', '_'))) return true
  return typeof value === 'string' && (maskSecretShapes(value) !== value || /^(bearer|basic|token)\s/i.test(value))
}

function toolFaults(path: Path, { tools, tools_off }: WrittenLane): readonly Found[] {
  if (!Array.isArray(tools) || !Array.isArray(tools_off)) return []
  return tools_off.flatMap((name, index) =>
    tools.includes(name)
      ? [{ path: [...path, 'tools_off', index], says: `(${name}) stands in tools, too`, fix: 'keep one of them' }]
      : [],
  )
}

const leastHeartbeatMs = 60_000

function heartbeatFaults(path: Path, { heartbeat }: WrittenLane): readonly Found[] {
  if (isBeyondCounting(heartbeat)) return [{ path, ...beyondCounting(heartbeat) }]
  const ms = msOf(heartbeat)
  if (ms === null || ms >= leastHeartbeatMs) return []
  return [{ path, says: `(${heartbeat}) is less than a minute`, fix: 'write 1m or more, or off' }]
}

function grantFaults(path: Path, { grants, agents_may_start }: WrittenLane): readonly Found[] {
  const given: readonly unknown[] = Array.isArray(grants) ? grants : []
  if (given.includes('create')) return []
  if (given.includes('any_lane')) {
    const says = '(any_lane) is about tasks that its agents make, and they may make none'
    return [{ path: [...path, 'grants'], says, fix: 'write grants: [create, any_lane], or take it out' }]
  }
  if (agents_may_start !== true) return []
  const says = 'is about cards that its agents make, and they may make none'
  return [{ path: [...path, 'agents_may_start'], says, fix: 'write grants: [create], or take it out' }]
}

function modelFaults(path: Path, { model }: WrittenLane): readonly Found[] {
  if (!Array.isArray(model)) return []
  return model.flatMap((name, index) =>
    model.indexOf(name) < index
      ? [{ path: [...path, 'model', index], says: `(${name}) stands there twice`, fix: 'keep one of them' }]
      : [],
  )
}

/** The models of a lane, in the order in which they are asked. */
export const modelsOf = ({ model }: Pick<WrittenLane, 'model'>): readonly string[] =>
  (Array.isArray(model) ? model : [model]).filter((one): one is string => typeof one === 'string')

/** Models of a lane that no limit in US dollars can be kept for. */
export function unpricedModels(
  { accounts }: Pick<YardConfig, 'accounts'>,
  { account, model, chat }: Pick<LaneConfig, 'account' | 'model' | 'chat'>,
): readonly string[] {
  const prices = (account === null ? undefined : accounts[account]?.prices) ?? {}
  const models = model === null ? [] : [model, ...chat.fallbacks]
  return models.filter((name) => !Object.hasOwn(prices, name))
}

/** Of a lane that has no fault. */
export function buildChatLane(lane: WrittenLane): ChatLaneConfig {
  const { timeouts = {} } = lane
  return {
    fallbacks: modelsOf(lane).slice(1),
    tools: lane.tools ?? null,
    toolsOff: lane.tools_off ?? [],
    turns: lane.turns ?? null,
    timeouts: {
      firstByteMs: msOf(timeouts.first_byte),
      firstEventMs: msOf(timeouts.first_event),
      idleMs: msOf(timeouts.idle),
      callMs: msOf(timeouts.call),
    },
    temperature: lane.temperature ?? null,
    reasoning: lane.reasoning ?? null,
    outputTokens: countOf(lane.output_tokens),
    contextTokens: countOf(lane.context_tokens),
    headers: lane.headers ?? {},
    api: lane.api ?? 'chat_completions',
    sandbox: lane.sandbox ?? 'none',
    deniedCommands: lane.denied_commands ?? [],
    approvalCommands: lane.approval_commands ?? [],
    heartbeatMs: lane.heartbeat === 'off' ? 'off' : msOf(lane.heartbeat),
    transcript: lane.transcript ?? 'on',
    grants: [...new Set(lane.grants ?? [])],
    agentsMayStart: lane.agents_may_start ?? false,
  }
}

/** A budget that has no fault. */
export function readBudget(written: WrittenBudget | undefined): BudgetConfig {
  const { tokens, usd } = written ?? {}
  const count = tokens === undefined || tokens === 'off' ? tokens : parseCount(tokens)
  return {
    ...(count === undefined ? {} : { budgetTokens: count }),
    ...(usd === undefined ? {} : { budgetUsd: usd }),
  }
}

const msOf = (text: unknown): number | null => (typeof text === 'string' ? parseDuration(text) : undefined) ?? null

const countOf = (written: unknown): number | null =>
  (typeof written === 'string' || typeof written === 'number' ? parseCount(written) : undefined) ?? null
