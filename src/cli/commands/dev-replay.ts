import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { RunView } from '../../api/contract/index.ts'
import type { FoundReplay, Replay } from '../../main.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { clockTime } from '../render/times.ts'
import { onOneLine } from '../render/visible.ts'
import { replayJson } from '../replay/replay-json.ts'
import { replayLines } from '../replay/replay-lines.ts'
import { resolveThings, runOfThing } from '../targets/resolve-one.ts'

interface ReplayOptions {
  readonly turn?: string
}

/** `dev replay R981 | T5 | FILE`: shows a run of our agent again, turn by turn, from its transcript and without a provider. */
export function registerReplay(dev: Command, commands: Commands): void {
  dev
    .command('replay')
    .argument('<target>', 'an attempt, a task (its newest attempt), or the file of a transcript')
    .option('--turn <n>', 'only this turn, all of it; 0: what it began with')
    .description('show an attempt of our agent again, turn by turn; nothing is asked')
    .action(commands.answer<ReplayOptions>((deps, { args: [target = ''], options }) => replay(deps, target, options)))
}

async function replay(deps: CliDeps, target: string, options: ReplayOptions): Promise<number> {
  const turn = turnOf(options.turn)
  const { found, title } = isPath(target) ? await fromFile(deps, target) : await fromRun(deps, target)
  const { turns } = found
  if (turn !== undefined && !turns.some((one) => one.turn === turn)) {
    const last = turns.at(-1)?.turn
    throw cliError('CLI_BAD_USE', {
      says: `${title} has no turn ${turn}`,
      fix: last === undefined ? 'leave --turn out' : `it has turns to ${last}: yardmaster dev replay ${target}`,
    })
  }
  if (deps.flags.json) writeJson(deps, replayJson(found, turn))
  else
    deps.out.write(`${replayLines(found, { title, turn, paint: deps.paint, nowMs: deps.clock.nowMs() }).join('\n')}\n`)
  return exitCode.ok
}

/** A path is what no attempt, task or key can be called. */
const isPath = (target: string): boolean => target.includes('/') || target.endsWith('.jsonl')

async function fromFile(deps: CliDeps, target: string): Promise<{ readonly found: Replay; readonly title: string }> {
  const answer = await deps.main.findReplay({ file: resolve(deps.cwd, target) })
  if (answer.kind === 'none') throw new Error('a file that was read is a replay')
  return { found: answer.replay, title: onOneLine(target) }
}

async function fromRun(deps: CliDeps, target: string): Promise<{ readonly found: Replay; readonly title: string }> {
  const run = await lookUp(deps, target)
  const title = `R${run.id} attempt ${run.attempt} of T${run.task}`
  const gone = whyGone(run, deps.clock.nowMs())
  if (gone !== undefined) throw refused(run, gone)
  const answer = await deps.main.findReplay({ runDir: run.dir })
  if (answer.kind === 'replay') return { found: answer.replay, title }
  throw refused(run, whyNone(answer.why, run))
}

async function lookUp(deps: CliDeps, target: string): Promise<RunView> {
  const yard = await deps.openYard({ store: 'read' })
  try {
    const from = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const [thing, ...others] = await resolveThings(from, { texts: [target], board: deps.flags.board })
    const id = thing === undefined || others.length > 0 ? undefined : await runOfThing(yard.client, thing)
    if (id !== undefined) return await yard.client.run(id)
    const says =
      others.length > 0
        ? `"${target}" is ${1 + others.length} tasks, and replay shows one attempt`
        : thing === undefined
          ? `"${target}" names no task`
          : `T${thing.id} has not run yet`
    throw cliError('CLI_BAD_USE', { says, fix: 'name an attempt: yardmaster dev replay R981' })
  } finally {
    await yard.close()
  }
}

function whyGone({ imported, pruned_at, elsewhere, host }: RunView, nowMs: number): string | undefined {
  if (imported) return 'it ran in another home and came with an imported board'
  if (pruned_at !== null) return `its files were removed ${clockTime(pruned_at, nowMs)} (keep in yardmaster.yaml)`
  return elsewhere ? `it ran on ${host}, another machine` : undefined
}

function whyNone(why: Extract<FoundReplay, { readonly kind: 'none' }>['why'], { lane, outcome }: RunView): string {
  switch (why) {
    case 'off':
      return `lane ${onOneLine(lane)} keeps none (transcript: off)`
    case 'not_chat':
      return `lane ${onOneLine(lane)} did not start our agent for it, and only that keeps one`
    case 'nothing_yet':
      return outcome === null ? 'it has not begun one yet' : 'it ended before it had asked anything'
  }
}

const refused = ({ id }: RunView, why: string) =>
  cliError('CLI_BAD_USE', {
    says: `there is no transcript of R${id}: ${why}`,
    fix: `what else is known: yardmaster show R${id}`,
  })

function turnOf(typed: string | undefined): number | undefined {
  if (typed === undefined) return undefined
  if (/^\d{1,6}$/.test(typed)) return Number(typed)
  throw cliError('CLI_BAD_USE', { says: `--turn "${typed}" is no number of a turn`, fix: '--turn 3' })
}
