import type { StageSpec, Task, TaskSpec } from '../../board/index.ts'
import { formatRunId, type RunId } from '../../kernel/index.ts'
import { buildLaunch, type ReadyLaunch } from '../build-launch.ts'
import type { YardDeps } from '../deps.ts'
import { keptBack, namesIn } from '../kept-back.ts'
import { needsReader } from '../read-needs.ts'
import { noSecrets } from '../read-secret.ts'
import type { RunPlan } from '../run-plan.ts'

type Deps = Pick<YardDeps, 'board' | 'config' | 'env' | 'self'>

export interface StageLaunchInput {
  readonly task: Task
  readonly spec: TaskSpec
  readonly plan: RunPlan
  readonly stage: StageSpec
  readonly run: RunId
  readonly attempt: number
  readonly fence: number
  readonly slot: number
  /** Folder of the stage. */
  readonly dir: string
  readonly marker: string
}

/**
 * Program, arguments and environment of a setup or a check: a command of ours beside the work. It gets what the work gets of the
 * allow-list, of `pass_env` and `env`, and neither a secret of an account or a lane, nor a token, nor the place of the report (P7): what
 * it runs was written, or may have been changed, by the worker. A lane that has vanished since adds nothing.
 */
export function buildStageLaunch(deps: Deps, input: StageLaunchInput): ReadyLaunch {
  const { task, spec, plan, stage, run, attempt, fence, slot, dir, marker } = input
  const { prompt: _, ...texts } = spec
  return buildLaunch({
    task,
    spec: { ...texts, run: stage.run },
    plan: { ...plan, uses: 'command', command: null, account: null },
    passEnv: deps.config.lanes[plan.lane]?.passEnv ?? [],
    attempt,
    runDir: dir,
    runName: formatRunId(run),
    fence,
    slot,
    marker,
    secrets: noSecrets,
    keptBack: keptBack(deps),
    reports: 'no',
    hubEnv: withoutSecrets(deps),
    self: deps.self,
    needs: needsReader(deps, task.id),
    composePrompt: () => '',
  })
}

/** `pass_env` of a lane may name the very variable that a key or a secret is read from. */
function withoutSecrets({ config, env }: Deps): Readonly<Record<string, string | undefined>> {
  const places = [
    ...Object.values(config.accounts).map(({ key }) => key),
    ...Object.values(config.lanes).flatMap(({ secretEnv }) => Object.values(secretEnv)),
  ]
  const secret = new Set(['YARDMASTER_API_KEY', ...namesIn(places)])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)))
}
