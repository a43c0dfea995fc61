import { isAbsolute, resolve } from 'node:path'
import {
  describeSize,
  findPlaceholders,
  isFields,
  leastLogBytes,
  leastMemoryBytes,
  nameSome,
  parseDuration,
  parseSize,
  suggestName,
  taskPlaceholders,
} from '../index.ts'
import { beyondCounting, isBeyondCounting } from './amounts.ts'
import { budgetFaults, buildChatLane, chatFaults, modelsOf, readBudget } from './chat-config.ts'
import { chatFields } from './chat-fields.ts'
import type { WrittenLane } from './config-schema.ts'
import type { Path } from './fault.ts'
import type { ExitRuleConfig, LaneConfig } from './yard-config.ts'

interface Found {
  readonly path: Path
  readonly says: string
  readonly fix: string
}

/** What the file's accounts are, as they are written; their shape is checked elsewhere. */
type WrittenAccounts = Readonly<Record<string, unknown>>

/** The rules between the fields of a lane that has the right shape, or parts of it. */
export function laneFaults(name: string, lane: WrittenLane, written: WrittenAccounts): readonly Found[] {
  const accounts = Object.keys(written)
  const path = ['lanes', name]
  const uses = usesOf(name, lane)
  const faults: Found[] = [...accountFaults(path, lane, uses, accounts), ...exitFaults(path, lane, uses)]
  if (uses === undefined) {
    faults.push({ path, says: 'does not say what it uses', fix: 'write uses: chat, or uses: command' })
  }
  if (uses === 'chat' && lane.model === undefined) {
    faults.push({
      path,
      says: 'uses chat and has no model',
      fix: "write model: with a name that the account's server knows",
    })
  }
  for (const field of uses === 'chat' ? (['command'] as const) : chatNames) {
    if (uses === undefined || lane[field] === undefined) continue
    if (field === 'sandbox') {
      faults.push({
        path: [...path, field],
        says: 'is not available yet for commands',
        fix: 'take it out; a later version brings it',
      })
      continue
    }
    const other = uses === 'chat' ? 'command' : 'chat'
    faults.push({
      path: [...path, field],
      says: `belongs to lanes with uses: ${other}`,
      fix: `take it out, or write uses: ${other}`,
    })
  }
  return [
    ...faults,
    ...graceFaults(path, lane),
    ...amountFaults(path, lane),
    ...logFaults(path, lane),
    ...memoryFaults(path, lane),
    ...placeholderFaults(path, lane),
    ...(uses === 'chat' ? chatFaults(path, lane) : []),
    ...budgetFaults([...path, 'budget'], lane.budget),
    ...(uses === 'chat' ? priceFaults(path, lane, written) : []),
  ]
}

const chatNames = Object.keys(chatFields) as readonly (keyof typeof chatFields)[]

/** A limit in money that nobody could count would never be reached. */
function priceFaults(path: Path, lane: WrittenLane, accounts: WrittenAccounts): readonly Found[] {
  if (!isFields(lane.budget) || typeof lane.budget.usd !== 'number') return []
  const account = lane.account ?? 'openai'
  const { prices } = isFields(accounts[account]) ? accounts[account] : {}
  const unpriced = modelsOf(lane).filter((model) => !isFields(prices) || !Object.hasOwn(prices, model))
  if (unpriced.length === 0) return []
  const says = `limits US dollars, and no price is known for ${nameSome(unpriced, 5)}`
  return [{ path: [...path, 'budget', 'usd'], says, fix: sayPriceFix(account, unpriced[0] ?? '') }]
}

/** How a price is written. */
export const sayPriceFix = (account: string, model: string): string =>
  `write accounts.${account}.prices: { ${JSON.stringify(model)}: { in: 1, out: 4 } }, in USD per million tokens, or limit tokens`

function usesOf(name: string, lane: WrittenLane): 'chat' | 'command' | undefined {
  return lane.uses ?? (name === 'chat' || name === 'command' ? name : undefined)
}

function accountFaults(
  path: Path,
  lane: WrittenLane,
  uses: string | undefined,
  accounts: readonly string[],
): readonly Found[] {
  const known = [...new Set([...accounts, 'openai'])]
  if (typeof lane.account === 'string' && !known.includes(lane.account)) {
    const says = `names no account: ${lane.account}`
    return [{ path: [...path, 'account'], says, fix: suggestName(lane.account, known) }]
  }
  // With accounts of the user's own, guessing one could send a prompt to the wrong provider.
  if (uses === 'chat' && lane.account === undefined && accounts.length > 0) {
    return [{ path, says: 'uses chat and does not say whose account', fix: `write account: ${accounts.join(' or ')}` }]
  }
  return []
}

function exitFaults(path: Path, lane: WrittenLane, uses: string | undefined): readonly Found[] {
  if (!Array.isArray(lane.exits)) return []
  return lane.exits.flatMap((rule, index) =>
    rule?.then === 'wall' && lane.account === undefined && uses !== 'chat'
      ? [
          {
            path: [...path, 'exits', index, 'then'],
            says: 'says wall, which holds the account of the lane, and this lane has none',
            fix: 'write later instead, or give the lane an account',
          },
        ]
      : [],
  )
}

function graceFaults(path: Path, lane: WrittenLane): readonly Found[] {
  const graceMs = msOf(lane.grace)
  const timeoutMs = msOf(lane.timeout)
  if (graceMs === null || timeoutMs === null || graceMs < timeoutMs) return []
  const says = `(${lane.grace}) is not shorter than timeout (${lane.timeout})`
  return [{ path: [...path, 'grace'], says, fix: 'lower it, or raise timeout' }]
}

function amountFaults(path: Path, lane: WrittenLane): readonly Found[] {
  return (['timeout', 'stall', 'grace', 'memory', 'log_limit'] as const).flatMap((field) => {
    const text = lane[field]
    return isBeyondCounting(text) ? [{ path: [...path, field], ...beyondCounting(text) }] : []
  })
}

function logFaults(path: Path, { log_limit }: WrittenLane): readonly Found[] {
  const bytes = typeof log_limit === 'string' ? parseSize(log_limit) : undefined
  if (bytes === undefined || bytes >= leastLogBytes) return []
  const says = `(${log_limit}) is less than ${describeSize(leastLogBytes)}: the last words of an attempt would not be kept`
  return [{ path: [...path, 'log_limit'], says, fix: 'raise it, or take it out' }]
}

function memoryFaults(path: Path, { memory }: WrittenLane): readonly Found[] {
  const bytes = typeof memory === 'string' ? parseSize(memory) : undefined
  if (bytes === undefined || bytes === 0 || bytes >= leastMemoryBytes) return []
  const says = `(${memory}) is less than ${describeSize(leastMemoryBytes)}: no program could start`
  return [{ path: [...path, 'memory'], says, fix: 'raise it, or take it out' }]
}

function placeholderFaults(path: Path, lane: WrittenLane): readonly Found[] {
  if (!Array.isArray(lane.command)) return []
  return lane.command.flatMap((word, index) =>
    findPlaceholders(String(word)).flatMap(({ scope, name, written }) =>
      scope === 'task' && (taskPlaceholders as readonly string[]).includes(name)
        ? []
        : [
            {
              path: [...path, 'command', index],
              says: `holds ${written}, which a lane does not know`,
              fix: suggestName(
                `${scope}.${name}`,
                taskPlaceholders.map((known) => `task.${known}`),
              ),
            },
          ],
    ),
  )
}

/** A lane that has no fault. */
export function buildLane(name: string, lane: WrittenLane, folder: string): LaneConfig {
  const uses = usesOf(name, lane) ?? 'command'
  return {
    uses,
    account: lane.account ?? (uses === 'chat' ? 'openai' : null),
    model: modelsOf(lane)[0] ?? null,
    system: lane.system === undefined ? null : resolve(folder, lane.system),
    command: lane.command === undefined ? null : withProgram(lane.command, folder),
    slots: lane.slots ?? null,
    timeoutMs: msOf(lane.timeout),
    stallMs: lane.stall === 'off' ? 'off' : msOf(lane.stall),
    graceMs: msOf(lane.grace),
    memoryBytes: lane.memory === 'off' ? 'off' : lane.memory === undefined ? null : (parseSize(lane.memory) ?? null),
    logBytes: lane.log_limit === undefined ? null : (parseSize(lane.log_limit) ?? null),
    log: lane.log ?? 'file',
    ...readEnv(lane.env ?? {}, folder),
    passEnv: lane.pass_env ?? [],
    exits: (lane.exits ?? []).map(buildExitRule),
    sysexits: lane.sysexits ?? false,
    budget: readBudget(lane.budget),
    chat: buildChatLane(lane),
  }
}

type WrittenEnv = NonNullable<WrittenLane['env']>

/** Plain values, and places where secrets are read at each start. */
function readEnv(env: WrittenEnv, folder: string): Pick<LaneConfig, 'env' | 'secretEnv'> {
  const plain: Record<string, string> = {}
  const secret: Record<string, LaneConfig['secretEnv'][string]> = {}
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string') plain[name] = value
    else secret[name] = 'file' in value ? { file: resolve(folder, value.file) } : value
  }
  return { env: plain, secretEnv: secret }
}

/** A program with a slash is a file beside the configuration; a bare name is looked for on the PATH. */
function withProgram(command: readonly string[], folder: string): readonly string[] {
  const [program = '', ...args] = command
  return program.includes('/') && !isAbsolute(program) ? [resolve(folder, program), ...args] : command
}

function buildExitRule({ code, ...rule }: NonNullable<WrittenLane['exits']>[number]): ExitRuleConfig {
  return code === undefined ? rule : { ...rule, code: typeof code === 'number' ? [code] : code }
}

const msOf = (text: string | undefined): number | null =>
  (typeof text === 'string' ? parseDuration(text) : undefined) ?? null
