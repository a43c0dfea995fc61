import { join, resolve } from 'node:path'
import { defaultBoard } from '../../api/contract/index.ts'
import { boardOfFolder, laneReadiness, type YardConfig } from '../../kernel/config/index.ts'
import { isCi, shellWord, YardError } from '../../kernel/index.ts'
import type { Hub } from '../../main.ts'
import { type LaneOption, type ReadBatch, readBatchFile } from '../batch-file/index.ts'
import { type CliDeps, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { privateHome } from './batch-homes.ts'
import { type DryRun, dryRunLines, planDryRun, unreadyLanes } from './dry-run.ts'
import { runError } from './errors.ts'
import { followRun } from './follow-run.ts'
import { type HeldSignals, holdSignals } from './hear-interrupts.ts'
import { checkReportDir } from './keep-report.ts'
import { lookAroundBatch } from './look-around-batch.ts'
import { planWorktrees } from './plan-worktrees.ts'
import type { RunRequest } from './run-request.ts'
import { submitBatch } from './submit-batch.ts'

/**
 * `run`: reads the file (all its faults at once, exit 2), then hands the batch to the hub that is up, or works it here
 * in a home of its own, and follows it to its verdict, whose exit code it answers.
 */
export async function runBatch(deps: CliDeps, request: RunRequest): Promise<number> {
  const hub = await deps.main.findHub(deps.home)
  if (hub !== undefined && request.orphans !== undefined) {
    throw cliError('CLI_BAD_USE', {
      says: `--orphans is for a run without a hub, and one is up (pid ${hub.pid})`,
      fix: 'take it out; workers of a hub are adopted by the next one',
    })
  }
  const yard = hub === undefined ? await yardOfConfig(deps) : await yardOfHub(deps, hub)
  const written = await readBatchFile({ ...deps, lanes: yard.lanes, boardLane: undefined }, request.batch)
  const { read, found } = await lookAroundBatch(deps, written)
  const plan = planDryRun({ ...read, lanes: yard.lanes, board: boardOf(yard.boards, read.body) })
  if (request.how === 'dry_run') {
    const worktrees = await planWorktrees(deps, { ...read, groups: plan.groups, found })
    return tellDryRun(deps, read, {
      ...plan,
      warnings: [...plan.warnings, ...worktrees.warnings],
      disk: worktrees.disk,
    })
  }
  const unready = unreadyLanes(plan.groups, yard.lanes)
  if (unready.length > 0) throw runError('RUN_LANE_NOT_READY', { lanes: unready })
  if (hub === undefined && request.how === 'detach') throw runError('RUN_DETACH_NEEDS_HUB', {})
  if (request.reportDir !== undefined) checkReportDir(resolve(deps.cwd, request.reportDir))
  const held = holdSignals(deps)
  try {
    if (hub !== undefined) return await handOver(deps, { request, read, held, hub })
    return await workHere(deps, { request, read, held, config: yard.config ?? (await deps.loadConfig()) })
  } finally {
    held.giveBack()
  }
}

interface KnownYard {
  readonly lanes: readonly LaneOption[]
  /** Of the yard in this process. */
  readonly config?: YardConfig
  /** Absent where it is not known which configuration the hub works with. */
  readonly boards?: YardConfig['boards']
}

type FoundHub = NonNullable<Awaited<ReturnType<CliDeps['main']['findHub']>>>

/** A hub works with the configuration that it was started with: another one named here would be ignored, so it is refused. */
async function yardOfHub(deps: CliDeps, { client, pid }: FoundHub): Promise<KnownYard> {
  const { flags } = deps
  const { lanes, config } = await client.health()
  if (flags.config === undefined || flags.config === config) {
    // What it says of boards is for the dry run alone; the hub decides by what it read when it started.
    const own = await deps.loadConfig().catch(() => undefined)
    return own !== undefined && own.file === config ? { lanes, boards: own.boards } : { lanes }
  }
  throw cliError('CLI_BAD_USE', {
    says: `the hub that is up (pid ${pid}) works with ${config ?? 'no configuration file'}, not with ${flags.config}`,
    fix: `leave --config out, or start the hub with it: yardmaster down, yardmaster up -d --config ${shellWord(flags.config)}`,
  })
}

async function yardOfConfig(deps: CliDeps): Promise<KnownYard> {
  const config = await deps.loadConfig()
  return { config, boards: config.boards, lanes: await laneReadiness(config, deps) }
}

/** The board that the batch goes onto, as far as this process knows the configuration that works it. */
function boardOf(boards: YardConfig['boards'] = {}, { board, dir }: ReadBatch['body']) {
  return boards[board ?? boardOfFolder(boards, dir) ?? defaultBoard]
}

function tellDryRun(deps: CliDeps, read: ReadBatch, plan: DryRun): number {
  if (deps.flags.json) writeJson(deps, { ...plan, batch: read.body })
  else deps.out.write(`${dryRunLines(plan, read).join('\n')}\n`)
  return exitCode.ok
}

interface Asked {
  readonly request: RunRequest
  readonly read: ReadBatch
  readonly held: HeldSignals
}

/** The hub that is up works it, and goes on when we leave. */
async function handOver(
  deps: CliDeps,
  { request, read, held, hub }: Asked & { readonly hub: FoundHub },
): Promise<number> {
  const { client, pid } = hub
  const { last_seq: after } = await client.health()
  const submitted = await submitBatch(client, read.body)
  rememberTarget(deps.home, `B${submitted.batch.id}`)
  if (request.how === 'detach') {
    const { id, name, counts } = submitted.batch
    if (deps.flags.json) writeJson(deps, submitted)
    else
      deps.out.write(
        `B${id} ${onOneLine(name)}: ${count(counts.total, 'task')}, worked by the hub (pid ${pid}). Safe to log out. ` +
          `Watch: yardmaster watch B${id} · stop: yardmaster cancel B${id}\n`,
      )
    return exitCode.ok
  }
  const reportDir = dirOf(deps, request, join(deps.home, 'reports', `B${submitted.batch.id}`))
  return await followRun(deps, { worked: 'shared', client, submitted, after, reportDir, read, held, home: deps.home })
}

/** A hub in this process, in a home that belongs to this file, for as long as the batch takes. */
async function workHere(
  deps: CliDeps,
  { request, read, held, config }: Asked & { readonly config: YardConfig },
): Promise<number> {
  const { name, file, limits } = read.body
  const home = privateHome(deps.home, { name, path: file ?? join(deps.cwd, '-') })
  // The batch is all that this hub works, so what the batch says of slots is what the hub has.
  const slots = limits.slots ?? config.slots
  const hub = await startPrivateHub(deps, { home, config: { ...config, slots }, request, name })
  try {
    const { last_seq: after } = await hub.client.health()
    const submitted = await submitBatch(hub.client, read.body)
    rememberTarget(home, `B${submitted.batch.id}`)
    const reportDir = dirOf(deps, request, join(home, 'reports', `B${submitted.batch.id}`))
    return await followRun(deps, {
      worked: 'private',
      client: hub.client,
      hub,
      submitted,
      after,
      reportDir,
      read,
      held,
      home,
      readAfterwards: () => deps.main.openStore({ ...deps, home, config }),
    })
  } finally {
    // After a verdict nothing of it runs; after a fault of ours what runs must not be left without a hub.
    await hub.stop({ workers: 'end' })
  }
}

async function startPrivateHub(
  { main, env, self, version }: CliDeps,
  { home, config, request, name }: { home: string; config: YardConfig; request: RunRequest; name: string },
): Promise<Hub> {
  const options = { home, config, env, self, version, purpose: 'run', paused: false } as const
  const orphans = request.orphans === 'die' || (request.orphans === undefined && isCi(env)) ? 'die' : 'live'
  try {
    return await main.startHub({ ...options, orphans })
  } catch (fault) {
    if (!(fault instanceof YardError)) throw fault
    // A CI image without setpriv still runs: only who asked for it by name is refused.
    if (fault.code === 'SUPERVISOR_CANNOT_DIE_WITH_US' && request.orphans === undefined) {
      return await main.startHub({ ...options, orphans: 'live' })
    }
    if (fault.code !== 'MAIN_HOME_TAKEN') throw fault
    const holder = fault.values.holder as { readonly pid: number } | undefined
    throw runError('RUN_ALREADY_RUNNING', { file: request.batch.file, pid: holder?.pid, name }, fault)
  }
}

function dirOf({ cwd }: CliDeps, { reportDir }: RunRequest, byDefault: string): string {
  return reportDir === undefined ? byDefault : resolve(cwd, reportDir)
}
