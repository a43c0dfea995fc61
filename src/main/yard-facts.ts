import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DispatcherView, YardView } from '../api/index.ts'
import type { Board } from '../board/index.ts'
import { knownSecrets, parseRunPlan, resolveTask } from '../dispatcher/index.ts'
import { taskId } from '../kernel/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import { resolveWorkspace } from '../workspaces/index.ts'
import type { Home } from './home.ts'
import type { HubOptions } from './hub-options.ts'

interface YardFacts extends Pick<HubOptions, 'config' | 'env' | 'self' | 'version'> {
  readonly home: Home
  readonly pid: number
  readonly builtInGraceMs: number
  /** Absent where there is no dispatcher in this process. */
  readonly dispatcher?: DispatcherView
  /** Readiness of the lanes by name, as far as somebody looked. */
  readonly laneSays: (name: string) => { readonly ready: boolean; readonly says: string }
}

/** What the API wants to know besides the board. */
export function buildYardView({ board }: { readonly board: Board }, facts: YardFacts): YardView {
  const { home, config, builtInGraceMs } = facts
  const own = { home: home.path, program: programFolder(facts.self) }
  return {
    version: facts.version,
    pid: facts.pid,
    home: home.path,
    config: config.file,
    slots: config.slots,
    accounts: Object.keys(config.accounts),
    lanes: () =>
      Object.entries(config.lanes).map(([name, { uses, command }]) => ({
        name,
        uses,
        takesPrompts: uses === 'chat' || command !== null,
        ...facts.laneSays(name),
      })),
    boardLane: (name) => config.boards[name]?.lane ?? null,
    settingsOf(task) {
      const spec = board.readSpec(task.id)
      const lane = config.lanes[task.lane]
      if (spec === undefined || lane === undefined) return undefined
      const defaults = task.batch === null ? null : (board.readBatch(task.batch)?.defaults ?? null)
      return resolveTask(spec, { defaults, lane, builtInGraceMs })
    },
    refuseFolder(asked) {
      // The number only names a scratch folder, and those are never refused.
      const resolved = resolveWorkspace(own, { task: taskId(1), ...asked })
      return resolved.ok ? undefined : resolved.error
    },
    secretsOf: (run) => knownSecrets(facts, parseRunPlan(run.settings), null),
    runDir: (run) => composeRunDirectory(home.path, run),
    dispatcher: facts.dispatcher,
  }
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
