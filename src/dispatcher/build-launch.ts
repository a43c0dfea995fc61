import { isAbsolute } from 'node:path'
import { assertNever, formatTaskId, YardError } from '../kernel/index.ts'
import { buildChildEnvironment } from '../kernel/process/index.ts'
import { composeRunFiles } from '../runs/index.ts'
import { buildChatLaunch } from './lanes/chat-lane.ts'
import { buildCommandLaunch } from './lanes/command-lane.ts'
import { findCommand } from './lanes/find-command.ts'
import type { BuiltLaunch, LaunchContext } from './lanes/lane-launch.ts'
import { sayRefusedBySystem } from './lanes/system-limits.ts'
import type { RunSecrets } from './read-secret.ts'
import { speaksToHub } from './run-plan.ts'

/** What is known of the attempt; before the claim some of it stands in for what the claim will give. */
export interface LaunchInput extends Omit<LaunchContext, 'env' | 'keyless'> {
  readonly slot: number
  readonly marker: string
  /** Variables of the hub that its lane passes on besides. */
  readonly passEnv: readonly string[]
  /** Whether it is told where its report belongs; absent: yes. A setup or a check has none. */
  readonly reports?: 'yes' | 'no'
  /** Folder of the files that people gave with the task; absent: they gave none. */
  readonly attachments?: string
  readonly secrets: RunSecrets
  /** Values that no pattern of `pass_env` takes along. */
  readonly keptBack: readonly string[]
  /** to come: it is made after the claim, so a program in it cannot be looked for yet. Absent: there. */
  readonly folderIs?: 'there' | 'to come'
  readonly hubEnv: Readonly<Record<string, string | undefined>>
}

export type ReadyLaunch =
  | {
      readonly ok: true
      readonly argv: readonly string[]
      readonly env: Readonly<Record<string, string>>
      /** For our own agent, by its pipe: an environment can be read by whatever it starts. null: there is none. */
      readonly key: string | null
      readonly files: readonly { readonly name: string; readonly text: string }[]
    }
  /** Nothing that a repeat would mend: words for people. */
  | { readonly ok: false; readonly says: string }

/**
 * Program, arguments, environment and files of an attempt, complete and checked: the program is found and nothing is longer than the
 * system takes. Called before the claim to refuse what cannot start, and after it for the real thing.
 */
export function buildLaunch(input: LaunchInput): ReadyLaunch {
  try {
    const env = environment(input)
    const built = byLane({ ...input, env, keyless: input.secrets.key === null })
    if (!built.ok) return built
    const [program = '', ...args] = built.launch.argv
    const isToCome = input.folderIs === 'to come' && program.includes('/') && !isAbsolute(program)
    const found = isToCome
      ? { ok: true as const, path: program }
      : findCommand(program, { path: env.PATH ?? '', folder: input.plan.folder })
    if (!found.ok) return found
    const argv = [found.path, ...args]
    const refused = sayRefusedBySystem(argv, env)
    const key = input.plan.uses === 'chat' ? (input.secrets.key?.value ?? null) : null
    if (refused !== undefined) return { ok: false, says: refused }
    if (Buffer.byteLength(key ?? '') > mostKeyBytes)
      return { ok: false, says: `its key has over ${mostKeyBytes} bytes` }
    return { ok: true, argv, env, key, files: built.launch.files }
  } catch (fault) {
    if (fault instanceof YardError && fault.status < 500) return { ok: false, says: `${fault.message}; ${fault.fix}` }
    throw fault
  }
}

/** Less than a pipe takes at once, with the token before it. */
const mostKeyBytes = 32_768

function byLane(context: LaunchContext): BuiltLaunch {
  const { uses, lane } = context.plan
  switch (uses) {
    case 'chat':
      if (context.spec.run !== undefined)
        return { ok: false, says: `lane ${lane} works on prompts, and this task has a command` }
      return buildChatLaunch(context)
    case 'command':
      return buildCommandLaunch(context)
    default:
      return assertNever(uses)
  }
}

/** Matrix values are variables of their own, so that text for bash can use them without any quoting of ours. */
function environment(input: LaunchInput): Readonly<Record<string, string>> {
  const { plan, spec, passEnv, keptBack, hubEnv, marker, secrets } = input
  return buildChildEnvironment({
    from: hubEnv,
    passEnv,
    keptBack,
    secrets: { ...secrets.env, ...(secrets.key === null || plan.uses === 'chat' ? {} : keyVariables(secrets.key)) },
    env: { ...plan.env, ...spec.matrix },
    own: ownVariables(input),
    marker,
  })
}

/** For a program of others: as `YARDMASTER_API_KEY`, and under the name that it may look for. */
function keyVariables({ ref, value }: NonNullable<RunSecrets['key']>): Record<string, string> {
  const named = ref !== 'none' && 'env' in ref ? { [ref.env]: value } : {}
  return { ...named, YARDMASTER_API_KEY: value }
}

function ownVariables(input: LaunchInput): Record<string, string> {
  const { task, runName, runDir, fence, slot, plan, attachments, secrets, reports = 'yes' } = input
  const { report, hub } = composeRunFiles(runDir)
  const names = Object.keys(secrets.env)
  return {
    // Only who is given a token can do anything with the address.
    ...(speaksToHub(plan) ? { YARDMASTER_HUB_FILE: hub } : {}),
    ...(plan.uses === 'chat' && names.length > 0 ? { YARDMASTER_SECRET_NAMES: names.join(' ') } : {}),
    YARDMASTER_TASK: formatTaskId(task.id),
    YARDMASTER_RUN: runName,
    YARDMASTER_RUN_DIR: runDir,
    ...(attachments === undefined ? {} : { YARDMASTER_ATTACHMENTS: attachments }),
    ...(reports === 'yes' ? { YARDMASTER_REPORT: report, YARDMASTER_FENCE: String(fence) } : {}),
    YARDMASTER_SLOT: String(slot),
  }
}
