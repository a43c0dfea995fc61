import type { Command } from 'commander'
import type { Client } from '../../api/client/index.ts'
import { describeDuration } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { runningWords } from '../list/list-lines.ts'
import { writeJson } from '../output.ts'
import { onOneLine } from '../render/visible.ts'
import { count, heldWords } from '../render/words.ts'
import { hubEnd } from '../up/hub-end.ts'

interface DownOptions {
  readonly now?: true
}

/** `down`: starts nothing new, waits for what runs and says for whom, then the hub is gone. `--now` ends what runs. */
export function registerDown(program: Command, commands: Commands): void {
  program
    .command('down')
    .option('--now', 'end what runs instead of waiting for it; it goes on with the next hub')
    .description('stop the hub once what runs has ended')
    .action(commands.answer<DownOptions>((deps, { options }) => down(deps, options)))
}

async function down(deps: CliDeps, { now }: DownOptions): Promise<number> {
  const { flags, err, out, home, main, clock } = deps
  const quiet = flags.json || flags.quiet
  const hub = await main.findHub(home)
  if (hub === undefined) {
    if (flags.json) writeJson(deps, { stopped: false, pid: null })
    else if (!flags.quiet) out.write('No hub is up.\n')
    return exitCode.ok
  }
  const startedMs = clock.monotonicMs()
  const ended = hubEnd(deps, { pid: hub.pid, withinMs: now ? endsWithinMs : undefined }, deps.signals.interrupted)
  ended.catch(() => {}) // told where it is awaited
  const running = quiet ? undefined : await whatRuns(hub.client)
  await hub.client.down(now ? 'now' : 'drain')
  if (running !== undefined) sayWhomItWaitsFor(deps, running)
  await ended
  if (deps.signals.interrupted.aborted) {
    err.write('It still stops by itself once what runs has ended. At once: yardmaster down --now\n')
    return exitCode.interrupted
  }
  const tookMs = clock.monotonicMs() - startedMs
  if (flags.json) writeJson(deps, { stopped: true, pid: hub.pid, took_ms: Math.round(tookMs) })
  else if (!flags.quiet)
    out.write(`Hub stopped (pid ${hub.pid}) after ${describeDuration(tookMs)}. Start it again: yardmaster up -d\n`)
  return exitCode.ok
}

/** `--now` may take two graces (10 s unless a lane says more) and a sweep; then something is wrong. */
const endsWithinMs = 120_000

type Page = Awaited<ReturnType<Client['listTasks']>>

/** Read before the hub is told to stop: afterwards `--now` may have ended it all before the first answer. */
async function whatRuns(client: Client): Promise<Page | undefined> {
  return await client.listTasks({ status: 'running', limit: 20 }).catch(() => undefined)
}

function sayWhomItWaitsFor({ err, clock }: CliDeps, page: Page): void {
  // A held one is nobody's to wait for: it goes on being held without a hub, too.
  const rows = page.rows.filter(({ last_run }) => heldWords(last_run) === undefined)
  if (rows.length === 0) return
  err.write(
    `Waiting for ${count(rows.length, 'attempt')}${page.next === null ? '' : ' and more'} (Ctrl-C: leave it to end by itself):\n`,
  )
  for (const task of rows) {
    err.write(`  T${task.id} ${onOneLine(task.title)}  ${runningWords(task, clock.nowMs())}\n`)
  }
}
