import type { Command } from 'commander'
import type { Hub } from '../../main.ts'
import { type CliDeps, type Commands, exitCode, type Interrupt } from '../command.ts'
import { cliError } from '../errors.ts'
import { hasStore } from '../open-yard.ts'
import { writeJson } from '../output.ts'
import { count } from '../render/words.ts'
import { eventLine } from '../up/event-line.ts'
import { firstStartNote, hubLines } from '../up/hub-line.ts'
import { readyAfterLongRest } from '../up/long-rest.ts'
import { startDetached } from '../up/start-detached.ts'

interface UpOptions {
  readonly detach?: true
  readonly paused?: true
}

/** `up`: the hub, here and in sight, one line an event; `-d`: detached, answering once it serves. */
export function registerUp(program: Command, commands: Commands): void {
  program
    .command('up')
    .option('-d, --detach', 'in the background; it answers once it serves')
    .option('--paused', 'start nothing until yardmaster resume')
    .description('start the hub, which starts what is ready')
    .action(commands.answer<UpOptions>((deps, { options }) => up(deps, options)))
}

async function up(deps: CliDeps, options: UpOptions): Promise<number> {
  const other = await deps.main.findHub(deps.home)
  if (other !== undefined) throw cliError('CLI_HUB_UP', { home: deps.home, pid: other.pid, port: other.port })
  await deps.loadConfig() // every fault of it is told here, not in the log of a background program
  const isNew = !hasStore(deps.home)
  // A background program could only tell its log what is wrong with the home: it is opened here first.
  const paused = options.detach || !isNew ? await startsPaused(deps, options) : options.paused === true
  if (isNew) deps.err.write(`${firstStartNote(deps.home)}\n`)
  return options.detach ? detach(deps, paused) : serve(deps, paused)
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

async function detach(deps: CliDeps, paused: boolean): Promise<number> {
  const { config, board } = deps.flags
  const hub = await startDetached(deps, [
    'up',
    ...(paused ? ['--paused'] : []),
    ...(config === undefined ? [] : ['--config', config]),
    ...(board === undefined ? [] : ['-b', board]),
  ])
  const health = await hub.client.health()
  if (deps.flags.json) writeJson(deps, health)
  else if (!deps.flags.quiet) deps.out.write(`${hubLines(health, hub.port).join('\n')}\n`)
  return exitCode.ok
}

async function serve(deps: CliDeps, paused: boolean): Promise<number> {
  const { home, env, self, version, signals } = deps
  const config = await deps.loadConfig()
  // Heard before the hub starts, so that no signal can fall between.
  const stop = hearStop(signals)
  try {
    const hub = await deps.main.startHub({ home, config, env, purpose: 'up', paused, self, version })
    return await serveWith(deps, hub, stop).catch(async (fault) => {
      // Nobody would watch it any more; what runs lives on, and the next hub adopts it. The first fault is the one to tell.
      await hub.stop({ workers: 'leave' }).catch(() => {})
      throw fault
    })
  } finally {
    stop.giveBack()
  }
}

async function serveWith(deps: CliDeps, hub: Hub, stop: ReturnType<typeof hearStop>): Promise<number> {
  const { flags } = deps
  const over = new AbortController()
  try {
    const health = await hub.client.health()
    if (flags.json) writeJson(deps, health)
    else if (!flags.quiet) deps.out.write(`${hubLines(health, hub.port).join('\n')}\n`)
    const telling = tellEvents(deps, hub, { after: health.last_seq, signal: over.signal })
    const by = await Promise.race([stop.asked, hub.downAsked.then(() => 'down' as const), telling])
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
): Promise<'down'> {
  for await (const event of client.events(after, {}, signal)) {
    if (flags.json) writeJson({ out }, event)
    else if (!flags.quiet) out.write(`${eventLine(event, paint)}\n`)
  }
  return 'down'
}

/** Workers live on: the next hub adopts them. */
async function stopHub(deps: CliDeps, hub: Hub, by: Interrupt | 'down'): Promise<number> {
  // After a `down` nothing runs and nothing answers any more.
  const used = by === 'down' ? 0 : (await hub.client.health()).slots.used
  await hub.stop({ workers: 'leave' })
  if (!deps.flags.json && !deps.flags.quiet) {
    const left = used === 0 ? '' : ` ${count(used, 'attempt goes', 'attempts go')} on; the next hub adopts what runs.`
    deps.err.write(`Hub stopped.${left} Start it again: yardmaster up -d\n`)
  }
  return by === 'SIGINT' ? exitCode.interrupted : exitCode.ok
}
