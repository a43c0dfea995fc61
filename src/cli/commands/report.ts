import type { Command } from 'commander'
import { parseWallTime } from '../../api/contract/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { buildReport, homeNote, renderMarkdown, reportJson, sinceView } from '../report/index.ts'
import { openBatch } from '../run/index.ts'

interface ReportOptions {
  readonly since?: string
}

/** `report [B]`: the report of a batch as it stands now, whether or not it has ended. */
export function registerReport(program: Command, commands: Commands): void {
  program
    .command('report')
    .argument('[batch]', 'its id or name; without it the one submitted last')
    .option('--since <time>', 'only what changed since then: 18:00 (the last one), or a date')
    .description('what a batch came to: the verdict, what to do now, every task')
    .action(commands.answer<ReportOptions>((deps, { args: [batch], options }) => report(deps, batch, options)))
}

async function report(deps: CliDeps, text: string | undefined, { since }: ReportOptions): Promise<number> {
  const sinceMs = since === undefined ? undefined : lastTime(since, deps.clock.nowMs())
  const { yard, id, home } = await openBatch(deps, text)
  try {
    const whole = await yard.client.batchReport(id)
    const view = sinceMs === undefined ? whole : sinceView(whole, sinceMs)
    if (deps.flags.json) writeJson(deps, reportJson(view))
    else {
      const built = buildReport(view)
      deps.out.write(renderMarkdown(built) + (home === deps.home ? '' : homeNote(built, home)))
    }
    return exitCode.ok
  } finally {
    await yard.close()
  }
}

const dayMs = 24 * 3_600_000

/** A bare time of day is the last one, not the next. Throws `CLI_BAD_USE`. */
function lastTime(text: string, nowMs: number): number {
  const ms = parseWallTime(text, nowMs)
  if (ms === undefined) {
    throw cliError('CLI_BAD_USE', { says: `"${text}" is no time`, fix: '--since 18:00, or --since 2026-11-29' })
  }
  return ms > nowMs && !text.includes('-') ? ms - dayMs : ms
}
