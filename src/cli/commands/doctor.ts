import type { Command } from 'commander'
import { YardError } from '../../kernel/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { findingLines, sumLine } from '../doctor/doctor-lines.ts'
import { writeJson } from '../output.ts'
import { configHome } from '../service/config-home.ts'

/** `doctor`: looks at all that the yard stands on, with or without a hub. 0: it works, warnings allowed; 1: something does not. */
export function registerDoctor(program: Command, commands: Commands): void {
  program
    .command('doctor')
    .description('look at everything the yard stands on, and say what to mend')
    .action(commands.answer((deps) => doctor(deps)))
}

async function doctor(deps: CliDeps): Promise<number> {
  const { home, env, self, version, flags, out } = deps
  const config = await deps.loadConfig().catch((fault: unknown) => {
    if (fault instanceof YardError) return fault
    throw fault
  })
  const checks = await deps.main.examineYard({ home, config, env, self, version, configHome: configHome(deps) })
  const isBad = checks.some(({ state }) => state === 'bad')
  if (flags.json) writeJson(deps, { ok: !isBad, checks })
  else if (!flags.quiet) out.write(`${[...findingLines(checks, deps), sumLine(checks, deps)].join('\n')}\n`)
  else
    for (const line of findingLines(
      checks.filter(({ state }) => state !== 'ok'),
      deps,
    ))
      out.write(`${line}\n`)
  return isBad ? exitCode.ours : exitCode.ok
}
