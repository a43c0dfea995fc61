import { dirname, isAbsolute, resolve } from 'node:path'
import {
  describeSize,
  findPlaceholders,
  isFields,
  leastLogBytes,
  leastMemoryBytes,
  parseDuration,
  parseSize,
  suggestName,
  taskPlaceholders,
} from '../index.ts'
import { beyondCounting, isBeyondCounting } from './amounts.ts'
import { checkShape } from './check-shape.ts'
import {
  ConfigSchema,
  type WrittenAccount,
  type WrittenBoard,
  type WrittenConfig,
  type WrittenLane,
} from './config-schema.ts'
import { deepFreeze } from './deep-freeze.ts'
import { type Fault, formatPath, type Path } from './fault.ts'
import { boardFaults, buildBoard } from './parse-board.ts'
import { readYaml } from './yaml-text.ts'
import type { AccountConfig, ExitRuleConfig, KeepConfig, LaneConfig, YardConfig } from './yard-config.ts'

export interface ConfigText {
  readonly text: string
  /** Absolute path: shown in faults, and relative paths inside are taken from its folder. */
  readonly file: string
  /** Cores of this machine. */
  readonly cores: number
  /** What `~` means; where nobody says it, a path that begins with it is a fault. Absolute. */
  readonly userHome?: string | undefined
}

/**
 * A yardmaster.yaml, checked to the end: syntax, then shape, then the rules between fields of what has the right
 * shape. Every fault is answered, each with its line. A missing secret is none: see `readSecret`.
 */
export function parseConfig({
  text,
  file,
  cores,
  userHome,
}: ConfigText):
  | { readonly ok: true; readonly config: YardConfig }
  | { readonly ok: false; readonly faults: readonly Fault[] } {
  const { yaml, faults: syntax } = readYaml(text, file)
  if (yaml === undefined) return { ok: false, faults: syntax }
  const written = (yaml.value ?? {}) as WrittenConfig
  const shape = checkShape(ConfigSchema, written)
  const refused = new Set(shape.map(({ path }) => formatPath(path)))
  const found = [...shape, ...crossFaults(written, { refused, userHome })]
  const faults = [
    ...syntax,
    ...found.map(({ path, says, fix }) => ({ file, line: yaml.lineAt(path), path: formatPath(path), says, fix })),
  ]
  if (faults.length > 0) return { ok: false, faults }
  return { ok: true, config: buildConfig(written, { file, cores, userHome }) }
}

/** The yard where no file says anything. */
export function emptyConfig(cores: number): YardConfig {
  return buildConfig({}, { file: null, cores, userHome: undefined })
}

/** Half the cores, between 1 and 8 (files-and-cli section 4): workers are programs that use a core and more. */
export const defaultSlots = (cores: number): number => Math.min(8, Math.max(1, Math.floor(cores / 2)))

/** files-and-cli section 4: what is done is looked at within days, what failed may wait for a person on holiday. */
const defaultKeep: KeepConfig = { doneMs: 3 * 86_400_000, failedMs: 30 * 86_400_000 }

/** Exists unwritten, for the built-in lane `chat` and for chat lanes of files that write no account. */
const openai: AccountConfig = {
  baseUrl: 'https://api.openai.com/v1',
  key: { env: 'OPENAI_API_KEY' },
  slots: null,
}

interface Found {
  readonly path: Path
  readonly says: string
  readonly fix: string
}

/** Rules between fields. Looks only at parts that are maps, so that it may run beside faults of shape. */
function crossFaults(
  written: WrittenConfig,
  { refused, userHome }: { readonly refused: ReadonlySet<string>; readonly userHome: string | undefined },
): readonly Found[] {
  const lanes = Object.entries(mapOf(written.lanes)).filter(([name]) => !refused.has(`lanes.${name}`))
  const accounts = Object.keys(mapOf(written.accounts))
  const laneNames = [...new Set(['chat', 'command', ...lanes.map(([name]) => name)])]
  return [
    ...lanes.flatMap(([name, lane]) => laneFaults(name, mapOf(lane) as WrittenLane, accounts)),
    ...Object.entries(mapOf(written.boards)).flatMap(([name, board]) =>
      boardFaults(name, mapOf(board) as WrittenBoard, { laneNames, userHome }),
    ),
  ]
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {})

function laneFaults(name: string, lane: WrittenLane, accounts: readonly string[]): readonly Found[] {
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
  for (const field of uses === 'chat' ? (['command'] as const) : (['model', 'system'] as const)) {
    if (uses === undefined || lane[field] === undefined) continue
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
  ]
}

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

function buildConfig(
  written: WrittenConfig,
  { file, cores, userHome }: { file: string | null; cores: number; userHome: string | undefined },
): YardConfig {
  const folder = file === null ? '/' : dirname(file)
  const accounts = Object.entries(written.accounts ?? {}).map(([name, account]) => [
    name,
    buildAccount(name, account, folder),
  ])
  const lanes = Object.entries(written.lanes ?? {}).map(([name, lane]) => [name, buildLane(name, lane, folder)])
  const place = { folder, userHome }
  const boards = Object.entries(written.boards ?? {}).map(([name, board]) => [name, buildBoard(board, place)])
  return deepFreeze({
    file,
    slots: written.slots ?? defaultSlots(cores),
    keep: {
      doneMs: keepMs(written.keep?.done) ?? defaultKeep.doneMs,
      failedMs: keepMs(written.keep?.failed) ?? defaultKeep.failedMs,
    },
    diskFreeBytes: written.disk_free === undefined ? null : (parseSize(written.disk_free) ?? Number.MAX_SAFE_INTEGER),
    accounts: { openai, ...Object.fromEntries(accounts) },
    lanes: {
      chat: buildLane('chat', {}, folder),
      command: buildLane('command', {}, folder),
      ...Object.fromEntries(lanes),
    },
    boards: Object.fromEntries(boards),
  })
}

function buildAccount(name: string, { base_url, key, slots }: WrittenAccount, folder: string): AccountConfig {
  const secret = key !== undefined && key !== 'none' && 'file' in key ? { file: resolve(folder, key.file) } : key
  // Its key is built in as long as its server is: no other one is ever shown it.
  const builtIn = name === 'openai' && base_url === undefined ? openai.key : 'none'
  return { baseUrl: base_url ?? openai.baseUrl, key: secret ?? builtIn, slots: slots ?? null }
}

function buildLane(name: string, lane: WrittenLane, folder: string): LaneConfig {
  const uses = usesOf(name, lane) ?? 'command'
  return {
    uses,
    account: lane.account ?? (uses === 'chat' ? 'openai' : null),
    model: lane.model ?? null,
    system: lane.system === undefined ? null : resolve(folder, lane.system),
    command: lane.command === undefined ? null : withProgram(lane.command, folder),
    slots: lane.slots ?? null,
    timeoutMs: msOf(lane.timeout),
    stallMs: lane.stall === 'off' ? 'off' : msOf(lane.stall),
    graceMs: msOf(lane.grace),
    memoryBytes: lane.memory === 'off' ? 'off' : lane.memory === undefined ? null : (parseSize(lane.memory) ?? null),
    logBytes: lane.log_limit === undefined ? null : (parseSize(lane.log_limit) ?? null),
    log: lane.log ?? 'file',
    env: lane.env ?? {},
    passEnv: lane.pass_env ?? [],
    exits: (lane.exits ?? []).map(buildExitRule),
    sysexits: lane.sysexits ?? false,
  }
}

/** A program with a slash is a file beside the configuration; a bare name is looked for on the PATH. */
function withProgram(command: readonly string[], folder: string): readonly string[] {
  const [program = '', ...args] = command
  return program.includes('/') && !isAbsolute(program) ? [resolve(folder, program), ...args] : command
}

function buildExitRule({ code, ...rule }: NonNullable<WrittenLane['exits']>[number]): ExitRuleConfig {
  return code === undefined ? rule : { ...rule, code: typeof code === 'number' ? [code] : code }
}

/** A number of days that no number holds is as good as for ever, and must not fall back to a few days. */
const keepMs = (text: string | undefined): number | 'forever' | null =>
  text === undefined ? null : (msOf(text) ?? 'forever')

const msOf = (text: string | undefined): number | null =>
  (typeof text === 'string' ? parseDuration(text) : undefined) ?? null
