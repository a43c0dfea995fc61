import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { YardConfig } from '../../kernel/config/index.ts'
import { type CliDeps, type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { writeJson } from '../output.ts'
import { configHome } from '../service/config-home.ts'
import { bootedMark, installUnit, unitPath } from '../service/install-unit.ts'
import { composeUnit, systemHome, type UnitKind } from '../service/unit-text.ts'

interface InstallOptions {
  readonly user?: true
  readonly system?: true
  readonly as?: string
  readonly print?: true
}

/** `service install`: a unit of systemd that keeps the hub up, over logins and restarts of the machine. */
export function registerService(program: Command, commands: Commands): void {
  program
    .command('service')
    .description('keep the hub up with systemd')
    .command('install')
    .option('--user', 'for this user, without root (the default)')
    .option('--system', 'for the machine: needs root')
    .option('--as <user>', 'with --system: whom the hub and its workers run as')
    .option('--print', 'only print the unit; write nothing')
    .description('write a unit of systemd, and say how to start it')
    .action(commands.answer<InstallOptions>((deps, { options }) => install(deps, options)))
}

async function install(deps: CliDeps, options: InstallOptions): Promise<number> {
  const kind = kindOf(options)
  const config = await deps.loadConfig() // a unit for a configuration that does not load would only fail
  const user = options.as ?? given(deps.env.SUDO_USER) ?? given(deps.env.USER) ?? 'root'
  const { self, env } = deps
  const home = kind === 'system' && given(env.YARDMASTER_HOME) === undefined ? systemHome : deps.home
  const facts = { kind, self, home, config: config.file, path: env.PATH ?? '/usr/bin:/bin', user }
  const text = composeUnit(facts)
  const path = unitPath(kind, configHome(deps))
  if (options.print === true) {
    printUnit(deps, { kind, path, text })
    return exitCode.ok
  }
  if (!existsSync(bootedMark)) {
    printUnit(deps, { kind, path, text })
    throw cliError('CLI_NO_SYSTEMD', {})
  }
  const how = installUnit(path, text)
  const next = nextCommands(kind, how)
  if (deps.flags.json) writeJson(deps, { path, how, kind, home, next, environment: environmentFile(deps, kind) })
  else if (!deps.flags.quiet)
    deps.out.write(`${installLines(deps, { kind, path, how, home, user, config, next }).join('\n')}\n`)
  return exitCode.ok
}

/** `path`: where it belongs. */
function printUnit(deps: CliDeps, unit: { readonly kind: UnitKind; readonly path: string; readonly text: string }) {
  if (deps.flags.json) writeJson(deps, unit)
  else deps.out.write(unit.text)
}

function kindOf({ user, system, as }: InstallOptions): UnitKind {
  if (user && system) throw badUse('--user and --system exclude each other', 'keep one of them')
  if (as !== undefined && !system) throw badUse('--as goes with --system', 'a unit of a user runs as that user')
  return system ? 'system' : 'user'
}

const badUse = (says: string, fix: string) => cliError('CLI_BAD_USE', { says, fix })

const given = (text: string | undefined): string | undefined => (text === '' ? undefined : text)

const environmentFile = (deps: CliDeps, kind: UnitKind): string =>
  kind === 'system' ? '/etc/yardmaster/environment' : join(configHome(deps), 'yardmaster', 'environment')

function nextCommands(kind: UnitKind, how: string): readonly string[] {
  const systemctl = kind === 'user' ? 'systemctl --user' : 'systemctl'
  return [
    `${systemctl} daemon-reload`,
    how === 'written' ? `${systemctl} enable --now yardmaster` : `${systemctl} restart yardmaster`,
    ...(kind === 'user' ? ['loginctl enable-linger'] : []),
  ]
}

interface Installed {
  readonly kind: UnitKind
  readonly path: string
  readonly how: 'written' | 'replaced' | 'unchanged'
  readonly home: string
  readonly user: string
  readonly config: YardConfig
  readonly next: readonly string[]
}

function installLines(deps: CliDeps, { kind, path, how, home, user, config, next }: Installed): readonly string[] {
  const did = { written: 'Wrote', replaced: 'Replaced', unchanged: 'Nothing to change in' }[how]
  const reads = config.file === null ? 'no yardmaster.yaml (there is none here)' : config.file
  const keys = keysFromEnvironment(config)
  return [
    `${did} ${path}: hub of ${home}, reads ${reads}${kind === 'system' ? `, runs as ${user}` : ''}.`,
    ...(kind === 'system' && user === 'root' ? ['Workers would run as root. A user of their own: --as USER'] : []),
    ...(keys.length === 0
      ? []
      : [`Keys that it takes from its environment go into ${environmentFile(deps, kind)} (0600): ${keys.join(', ')}`]),
    'A stop or restart of the unit ends no attempt: the next start adopts what runs.',
    `Next: ${next.join(' && ')}`,
  ]
}

/** Names only: their values never leave the file that a person writes. */
function keysFromEnvironment({ accounts }: YardConfig): readonly string[] {
  const names = Object.values(accounts).flatMap(({ key }) => (key !== 'none' && 'env' in key ? [key.env] : []))
  return [...new Set(names)]
}
