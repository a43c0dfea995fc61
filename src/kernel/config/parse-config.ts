import { dirname } from 'node:path'
import { isFields, parseDuration, parseSize } from '../index.ts'
import { checkShape } from './check-shape.ts'
import { ConfigSchema, type WrittenBoard, type WrittenConfig, type WrittenLane } from './config-schema.ts'
import { deepFreeze } from './deep-freeze.ts'
import { type Fault, formatPath, type Path } from './fault.ts'
import { accountFaults, buildAccount, openai } from './parse-account.ts'
import { boardFaults, buildBoard } from './parse-board.ts'
import { buildLane, laneFaults } from './parse-lane.ts'
import { readYaml } from './yaml-text.ts'
import type { KeepConfig, YardConfig } from './yard-config.ts'

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
  const accounts = mapOf(written.accounts)
  const laneNames = [...new Set(['chat', 'command', ...lanes.map(([name]) => name)])]
  return [
    ...Object.entries(accounts).flatMap(([name, account]) => accountFaults(['accounts', name], account)),
    ...lanes.flatMap(([name, lane]) => laneFaults(name, mapOf(lane) as WrittenLane, accounts)),
    ...Object.entries(mapOf(written.boards)).flatMap(([name, board]) =>
      boardFaults(name, mapOf(board) as WrittenBoard, { laneNames, userHome }),
    ),
  ]
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> => (isFields(value) ? value : {})

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

/** A number of days that no number holds is as good as for ever, and must not fall back to a few days. */
const keepMs = (text: string | undefined): number | 'forever' | null =>
  text === undefined ? null : (msOf(text) ?? 'forever')

const msOf = (text: string | undefined): number | null =>
  (typeof text === 'string' ? parseDuration(text) : undefined) ?? null
