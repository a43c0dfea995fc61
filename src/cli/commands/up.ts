import type { Command } from 'commander'
import type { HealthView } from '../../api/contract/index.ts'
import { YardError } from '../../kernel/index.ts'
import type { DownMode, FoundHub, Hub } from '../../main.ts'
import { type CliDeps, type Commands, exitCode, type Interrupt } from '../command.ts'
import { cliError } from '../errors.ts'
import { hasStore } from '../open-yard.ts'
import { writeJson } from '../output.ts'
import { printError } from '../print-error.ts'
import { onOneLine } from '../render/visible.ts'
import { count } from '../render/words.ts'
import { eventLine } from '../up/event-line.ts'
import { firstStartNote, hubLines } from '../up/hub-line.ts'
import { readyAfterLongRest } from '../up/long-rest.ts'
import { startDetached } from '../up/start-detached.ts'

/** A hub that has the home opens its store and binds a port; longer than that, it is no quick start. */
const winnerServesWithinMs = 10_000
const lookForWinnerEveryMs = 50

interface UpOptions {
  readonly detach?: true
  readonly paused?: true
  readonly replace?: true
  readonly service?: true
}

/** `up`: the hub, here and in sight, one line an event; `-d`: detached, answering once it serves. */
export function registerUp(program: Command, commands: Commands): void {
  program
    .command('up')
    .option('-d, --detach', 'in the background; it answers once it serves')
    .option('--paused', 'start nothing until yardmaster resume')
    .option('--replace', 'take over from the hub that is up, attempts go on: for a new version or configuration')
    .option('--service', 'a service manager starts it: after three unclean stops in 15 minutes it comes up paused')
    .description('start the hub, which starts what is ready')
    .action(
      commands.answer<UpOptions>((deps, { options }) =>
        up(deps, options)
          .catch((fault: unknown) => sayWinner(deps, options, fault))
          .catch((fault: unknown) => sayTryLater(deps, options, fault)),
      ),
    )
}

/** One that asked at the same moment was faster: to the other it is a hub that is up, however it met it. */
async function sayWinner(deps: CliDeps, { detach, replace }: UpOptions, fault: unknown): Promise<never> {
  if (!detach || replace || !(fault instanceof YardError)) throw fault
  // Where ours did not even get the home, the other may not answer yet.
  const isLate = fault.code === 'MAIN_HOME_TAKEN' || fault.code === 'CLI_HUB_UP'
  if (!isLate && fault.code !== 'CLI_HUB_DID_NOT_START' && fault.values.hubPid === undefined) throw fault
  const untilMs = deps.clock.monotonicMs() + (isLate ? winnerServesWithinMs : 0)
  for (;;) {
    const winner = await deps.main.findHub(deps.home)
    if (winner !== undefined) throw cliError('CLI_HUB_UP', { home: deps.home, pid: winner.pid, port: winner.port })
    if (deps.clock.monotonicMs() >= untilMs) throw fault
    await deps.clock.sleep(lookForWinnerEveryMs)
  }
}

/** A service manager starts again what may do better a little later; a person reads the fix and does it. */
function sayTryLater(deps: CliDeps, options: UpOptions, fault: unknown): number {
  const isBusy = fault instanceof YardError && fault.code === 'MAIN_HOME_TAKEN'
  if (!isBusy || !isService(deps, options)) throw fault
  printError({ ...deps, json: deps.flags.json }, fault)
  return exitCode.tryLater
}

async function up(deps: CliDeps, options: UpOptions): Promise<number> {
  const other = await deps.main.findHub(deps.home)
  if (other !== undefined && options.replace !== true)
    throw cliError('CLI_HUB_UP', { home: deps.home, pid: other.pid, port: other.port })
  await deps.loadConfig() // every fault of it is told here, not in the log of a background program
  const isNew = !hasStore(deps.home)
  // A background program could only tell its log what is wrong with the home: it is opened here first.
  const paused = options.detach || !isNew ? await startsPaused(deps, options) : options.paused === true
  if (isNew) deps.err.write(`${firstStartNote(deps.home)}\n`)
  return options.detach ? detach(deps, options, paused) : serve(deps, options, { paused, other })
}

/** Asked for, or after a long rest, which is said aloud. */
async function startsPaused(deps: CliDeps, options: UpOptions): Promise<boolean> {
  const yard = await deps.openYard()
  try {
    if (options.paused) return true
    const ready = await readyAfterLongRest(yard.client, deps.clock.nowMs())
    if (ready === 0) return false
    const cards = count(ready, 'agent card waits', 'agent cards wait')
    deps.err.write(`No hub was up for 12 hours and ${cards}: starting paused. Start them: yardmaster resume\n`)
    return true
  } finally {
    await yard.close()
  }
}

async function detach(deps: CliDeps, { replace, service }: UpOptions, paused: boolean): Promise<number> {
  const { config, board } = deps.flags
  const hub = await startDetached(deps, [
    'up',
    ...(paused ? ['--paused'] : []),
    ...(replace ? ['--replace'] : []),
    ...(service ? ['--service'] : []),
    ...(config === undefined ? [] : ['--config', config]),
    ...(board === undefined ? [] : ['-b', board]),
  ])
  tellHub(deps, await hub.client.health(), hub.port)
  return exitCode.ok
}

/** What serves now; what is unusual about it goes to people, and to programs as `hub.notes`. */
function tellHub({ flags, out, err }: CliDeps, health: HealthView, port: number): void {
  if (flags.json) writeJson({ out }, health)
  if (flags.json || flags.quiet) return
  for (const note of health.hub?.notes ?? []) err.write(`Note: ${onOneLine(note)}\n`)
  out.write(`${hubLines(health, port).join('\n')}\n`)
}

interface ServeHow {
  readonly paused: boolean
  /** The hub that is up. */
  readonly other: FoundHub | undefined
}

async function serve(deps: CliDeps, options: UpOptions, { paused, other }: ServeHow): Promise<number> {
  const { home, env, self, version, signals } = deps
  const config = await deps.loadConfig()
  // Heard before the hub starts, so that no signal can fall between.
  const stop = hearStop(signals)
  try {
    const startedBy = isService(deps, options) ? 'service' : 'person'
    const how = { home, config, env, purpose: 'up', paused, startedBy, replaces: other, self, version } as const
    const hub = await deps.main.startHub(how)
    return await serveWith(deps, hub, stop).catch(async (fault) => {
      // Nobody would watch it any more; what runs lives on, and the next hub adopts it. The first fault is the one to tell.
      await hub.stop({ workers: 'leave' }).catch(() => {})
      throw fault
    })
  } finally {
    stop.giveBack()
  }
}

/**
 * systemd names the pid that it has started itself in SYSTEMD_EXEC_PID, which also tells a unit of a person's own that
 * lacks the flag. (INVOCATION_ID would not do: every shell of a desktop inherits one.)
 */
const isService = ({ env, pid }: CliDeps, { service }: UpOptions): boolean =>
  service === true || env.SYSTEMD_EXEC_PID === String(pid)

async function serveWith(deps: CliDeps, hub: Hub, stop: ReturnType<typeof hearStop>): Promise<number> {
  const over = new AbortController()
  try {
    const health = await hub.client.health()
    tellHub(deps, health, hub.port)
    const telling = tellEvents(deps, hub, { after: health.last_seq, signal: over.signal })
    const by = await Promise.race([stop.asked, hub.downAsked, telling])
    over.abort()
    stop.giveBack() // from here on a signal means: now
    return await stopHub(deps, hub, by)
  } finally {
    over.abort()
  }
}

function hearStop(signals: CliDeps['signals']): { readonly asked: Promise<Interrupt>; giveBack(): void } {
  let giveBack = () => {}
  const asked = new Promise<Interrupt>((resolve) => {
    giveBack = signals.take(resolve)
  })
  return { asked, giveBack: () => giveBack() }
}

/** One line an event until `signal` fires. Only then it resolves: a stream that breaks is a fault of the hub. */
async function tellEvents(
  { out, paint, flags }: CliDeps,
  { client }: Hub,
  { after, signal }: { readonly after: number; readonly signal: AbortSignal },
): Promise<'drain'> {
  for await (const event of client.events(after, {}, signal)) {
    if (flags.json) writeJson({ out }, event)
    else if (!flags.quiet) out.write(`${eventLine(event, paint)}\n`)
  }
  return 'drain'
}

/** Workers live on: the next hub adopts them. */
async function stopHub(deps: CliDeps, hub: Hub, by: Interrupt | DownMode): Promise<number> {
  // After a `down` nothing answers any more.
  const isDown = by === 'drain' || by === 'now' || by === 'replace'
  const used = isDown ? 0 : (await hub.client.health()).slots.used
  await hub.stop({ workers: 'leave' })
  if (deps.flags.json || deps.flags.quiet) return exitCode.ok
  if (by === 'replace') deps.err.write('Hub stopped: another one took over, and what runs goes on under it.\n')
  else {
    const left = used === 0 ? '' : ` ${count(used, 'attempt goes', 'attempts go')} on; the next hub adopts what runs.`
    deps.err.write(`Hub stopped.${left} Start it again: yardmaster up -d\n`)
  }
  return by === 'SIGINT' ? exitCode.interrupted : exitCode.ok
}
