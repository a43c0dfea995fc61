import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DispatcherView, HubAbout, YardView } from '../api/index.ts'
import type { Board } from '../board/index.ts'
import {
  cleanWorkspaces,
  knownSecrets,
  neededDiskBytes,
  noSecrets,
  parseRunPlan,
  readDiskSpace,
  resolveTask,
} from '../dispatcher/index.ts'
import { findOriginalHome } from '../dispatcher/supervisor/index.ts'
import { boardOfFolder, missingOfLane, unpricedModels } from '../kernel/config/index.ts'
import {
  systemClock as clock,
  systemRandom as random,
  readRepoAddress,
  taskId,
  type YardError,
} from '../kernel/index.ts'
import { readHostIdentity } from '../kernel/process/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import { resolveWorkspace } from '../workspaces/index.ts'
import type { Home } from './home.ts'
import type { HubOptions } from './hub-options.ts'
import { laneSettings } from './lane-settings.ts'

interface Readiness {
  readonly ready: boolean
  readonly says: string
}

interface YardFacts extends Pick<HubOptions, 'config' | 'env' | 'self' | 'version'> {
  readonly home: Home
  readonly pid: number
  readonly builtInGraceMs: number
  /** Absent where no hub runs in this process. */
  readonly about?: HubAbout
  /** Absent where there is no dispatcher in this process. */
  readonly dispatcher?: DispatcherView
  /** What was found where somebody looked at the lane of that name; the configuration speaks for the others. */
  readonly laneSays?: (name: string) => Readiness | undefined
}

/** What the API wants to know besides the board. */
export function buildYardView({ board }: { readonly board: Board }, facts: YardFacts): YardView {
  const { home, config, builtInGraceMs } = facts
  const host = readHostIdentity()
  const own = { home: home.path, program: programFolder(facts.self) }
  const resolveCard: YardView['resolveCard'] = ({ spec, defaults, board: name, lane: laneName }) => {
    const lane = config.lanes[laneName]
    return lane === undefined
      ? undefined
      : resolveTask(spec, { defaults, board: config.boards[name], lane, builtInGraceMs })
  }
  return {
    version: facts.version,
    pid: facts.pid,
    home: home.path,
    config: config.file,
    slots: config.slots,
    disk: () => {
      const space = readDiskSpace(home.path)
      if (space === undefined) return null
      return { freeBytes: space.freeBytes, neededBytes: neededDiskBytes(config.diskFreeBytes, space) }
    },
    accounts: Object.keys(config.accounts),
    lanes: () =>
      Object.entries(config.lanes).map(([name, lane]) => ({
        name,
        uses: lane.uses,
        takesPrompts: lane.uses === 'chat' || lane.command !== null,
        unpriced: unpricedModels(config, lane),
        ...(facts.laneSays?.(name) ?? readinessByConfig(name, lane)),
      })),
    boardLane: (name) => config.boards[name]?.lane ?? null,
    boardOf: (dir) => boardOfFolder(config.boards, dir),
    resolveCard,
    settingsOf(task) {
      const spec = board.readSpec(task.id)
      if (spec === undefined) return undefined
      const defaults = task.batch === null ? null : (board.readBatch(task.batch)?.defaults ?? null)
      return resolveCard({ spec, defaults, board: task.board, lane: task.lane })
    },
    laneSettings(name) {
      const lane = config.lanes[name]
      return lane === undefined ? [] : laneSettings(lane)
    },
    refuseFolder: (asked) => refuseFolder(own, sourceOf(asked)),
    secretsOf: (run) => knownSecrets(facts, parseRunPlan(run.settings), noSecrets),
    rightsOf: (run) => parseRunPlan(run.settings),
    folderOf: (run) => parseRunPlan(run.settings).folder,
    runDir: (run) => composeRunDirectory(home.path, run),
    originalOf: ({ id, phase, fingerprint }) =>
      phase === 'started'
        ? findOriginalHome(host, { fingerprint, runDir: composeRunDirectory(home.path, id) })
        : undefined,
    clean: (asked, signal) => {
      const cleaner = { board, clock, random, ...own, keep: config.keep, env: facts.env }
      return cleanWorkspaces(cleaner, { ...asked, sizes: 'count' }, signal)
    },
    dispatcher: facts.dispatcher,
    hub: facts.about,
  }
}

type Folder = Parameters<YardView['refuseFolder']>[0]

function refuseFolder(own: Parameters<typeof resolveWorkspace>[0], asked: Folder): YardError | undefined {
  // The number only names a scratch folder, and those are never refused.
  const resolved = resolveWorkspace(own, { task: taskId(1), ...asked })
  return resolved.ok ? undefined : resolved.error
}

/** A worktree is a folder of ours; what may be refused is the one that it is made from, which no prompt gets to see. */
function sourceOf(asked: Folder): Folder {
  const { workspace } = asked
  if (workspace.kind !== 'worktree' || workspace.repo === undefined) return asked
  if (readRepoAddress(workspace.repo).kind === 'url') return asked
  return { ...asked, kind: 'run', workspace: { kind: 'dir', path: workspace.repo, shared: true } }
}

function readinessByConfig(name: string, lane: HubOptions['config']['lanes'][string]): Readiness {
  const missing = missingOfLane(name, lane)
  return { ready: missing === undefined, says: missing ?? 'not looked at yet' }
}

/** The folder that this program runs from: no prompt may work there. */
export function programFolder(self: readonly string[]): string {
  const program = self[1] ?? self[0] ?? '/'
  try {
    return dirname(realpathSync(program))
  } catch {
    return dirname(program) // started from something that is gone since
  }
}
