import type { Command } from 'commander'
import type { LogStage } from '../../api/client/index.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { withoutName } from '../list/list-lines.ts'
import { writeJson } from '../output.ts'
import { logForTerminal } from '../render/log-text.ts'
import { onOneLine } from '../render/visible.ts'
import { endWords } from '../show/run-lines.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveThings, runOfThing, type Thing } from '../targets/resolve-one.ts'

interface LogOptions {
  readonly stage?: string
  readonly follow?: true
}

/** `log T5 | R12 [-f] [--stage S]`: what an attempt wrote; of a task, its newest. `-f` goes on until the attempt has ended. */
export function registerLog(program: Command, commands: Commands): void {
  program
    .command('log')
    .argument('[target]', 'a task (its newest attempt) or an attempt')
    .option('-f, --follow', 'go on until the attempt has ended; of a task that waits: until it has run')
    .option('--stage <which>', 'of what ran beside the work: setup (before it) or check (after it)')
    .usage('TARGET [flags]')
    .description('what an attempt has written')
    .action(commands.answer<LogOptions>((deps, { args: [target], options }) => log(deps, target, options)))
}

async function log(deps: CliDeps, text: string | undefined, { follow, stage: typed }: LogOptions): Promise<number> {
  const stage = parseStage(typed)
  if (text === undefined) throw cliError('CLI_NO_TARGET', { verb: 'yardmaster log', example: 'yardmaster log T5' })
  const yard = await deps.openYard({ store: 'read' })
  try {
    const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const [thing, ...others] = await resolveThings(lookUp, { texts: [text], board: deps.flags.board })
    if (thing === undefined || others.length > 0) {
      const found = thing === undefined ? 'there is no task of these' : `"${text}" is ${1 + others.length} tasks`
      throw cliError('CLI_BAD_USE', {
        says: `log shows one attempt, and ${found}`,
        fix: 'yardmaster log T5',
      })
    }
    rememberTarget(deps.home, `${thing.kind === 'run' ? 'R' : 'T'}${thing.id}`)
    const run = (await runOfThing(yard.client, thing)) ?? (follow ? await firstRun(deps, yard, thing) : undefined)
    if (run === undefined) return notRunYet(deps, yard, thing)
    const asked = { run, stage }
    if (follow) return await followRun(deps, yard, asked)
    await refuseMissing(yard, asked)
    return await printLog(deps, yard, asked)
  } finally {
    await yard.close()
  }
}

interface AskedLog {
  readonly run: number
  readonly stage: LogStage
}

/** People know the stage by the field that asks for it. */
function parseStage(typed: string | undefined): LogStage {
  if (typed === undefined || typed === 'work') return 'work'
  if (typed === 'setup' || typed === 'prepare') return 'prepare'
  if (typed === 'check') return 'check'
  throw cliError('CLI_BAD_USE', { says: `--stage ${typed} is neither setup, work nor check`, fix: '--stage check' })
}

/** An attempt without a check has no empty log of one. */
async function refuseMissing({ client }: Yard, { run, stage }: AskedLog): Promise<void> {
  if (stage === 'work') return
  const { stages } = await client.run(run)
  if (stages.some(({ kind }) => kind === stage)) return
  throw cliError('CLI_BAD_USE', {
    says: `R${run} has had no ${stage === 'prepare' ? 'setup' : stage}`,
    fix: `yardmaster show R${run}; what its work has written: yardmaster log R${run}`,
  })
}

async function printLog(deps: CliDeps, { client }: Yard, { run, stage }: AskedLog): Promise<number> {
  const write = writerOf(deps, run)
  for (let from = 0; ; ) {
    const piece = await client.log(run, { stage, from })
    write(piece.text)
    if (piece.next <= from || piece.next >= piece.size || deps.out.closed.aborted) return exitCode.ok
    from = piece.next
  }
}

async function followRun(deps: CliDeps, { client }: Yard, { run, stage }: AskedLog): Promise<number> {
  const write = writerOf(deps, run)
  const ends = AbortSignal.any([deps.signals.interrupted, deps.out.closed])
  for await (const piece of client.followLog(run, 0, ends, stage)) write(piece)
  if (ends.aborted) return exitCode.ok
  const ended = await client.run(run)
  if (!deps.flags.json && !deps.flags.quiet) {
    deps.err.write(`R${run} ${endWords(ended, deps.clock.nowMs())}\n`)
  }
  return exitCode.ok
}

/** JSON lines with `--json`; as it is for a pipe; made harmless for a terminal. */
function writerOf(deps: CliDeps, run: number): (text: string) => void {
  if (deps.flags.json) return (text) => (text === '' ? undefined : writeJson(deps, { run, text }))
  if (!deps.out.isTerminal) return (text) => deps.out.write(text)
  const harmless = logForTerminal()
  return (text) => deps.out.write(harmless(text))
}

/** Waits for the first attempt of a task; undefined when it settles without one, or somebody has had enough. */
async function firstRun(deps: CliDeps, { client, hub }: Yard, thing: Thing): Promise<number | undefined> {
  if (hub === 'none') throw cliError('CLI_HUB_NOT_UP', { what: `following T${thing.id}, which has not run yet,` })
  const ends = AbortSignal.any([deps.signals.interrupted, deps.out.closed])
  // In this order, so that an attempt that starts meanwhile is either seen now or comes as an event.
  const health = await client.health()
  const already = await runOfThing(client, thing)
  if (already !== undefined) return already
  const why = await client.why(thing.id)
  if (!deps.flags.json && !deps.flags.quiet)
    deps.err.write(`Waiting for its first attempt: ${onOneLine(withoutName(why.says))}\n`)
  for await (const event of client.events(health.last_seq, { task: thing.id }, ends)) {
    if (event.run !== null) return event.run
    if ((await client.task(thing.id)).settled_at !== null) return undefined
  }
  return undefined
}

async function notRunYet(deps: CliDeps, { client }: Yard, { id }: Thing): Promise<number> {
  if (deps.flags.json || deps.flags.quiet) return exitCode.ok
  const why = await client.why(id)
  deps.err.write(
    `T${id} has not run yet: ${onOneLine(withoutName(why.says))} [${why.code}]\n${deps.paint.dim('Next:')} yardmaster why T${id}\n`,
  )
  return exitCode.ok
}
