import type { Command, CommanderError } from 'commander'
import { nearestName, type YardError } from '../kernel/index.ts'
import { cliError } from './errors.ts'

/** What commander found wrong with the line, as an error of ours: the value, and the nearest name or where to look. */
export function usageError(command: Command, fault: CommanderError): YardError {
  const verb = fullName(command)
  const named = /'(.*)'/s.exec(fault.message)?.[1] ?? ''
  switch (fault.code) {
    case 'commander.unknownCommand':
      return cliError('CLI_UNKNOWN_VERB', { of: verb, verb: named, nearest: nearestVerb(command, named) })
    case 'commander.unknownOption':
      if (/\s/.test(named) && takesTitle(command)) return dashedTitle(verb, named)
      return cliError('CLI_UNKNOWN_FLAG', { verb, flag: named, nearest: nearestFlag(command, named) })
    case 'commander.help': {
      const [first, asked] = command.args
      if (first === 'help' && asked !== undefined) {
        return cliError('CLI_UNKNOWN_VERB', { of: verb, verb: asked, nearest: nearestVerb(command, asked) })
      }
      return badUse(command, `${verb} needs a verb`, `${verb} --help lists them`)
    }
    case 'commander.excessArguments':
      return badUse(command, `${verb} was given more than it takes`)
    case 'commander.missingArgument':
      return badUse(command, `${verb} needs ${named === '' ? 'an argument' : `<${named}>`}`)
    case 'commander.optionMissingArgument':
      return badUse(command, `${named} needs a value`)
    default:
      return badUse(command, fault.message.replace(/^error: /, ''))
  }
}

/** `yardmaster dev rehearsal`. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`
}

const takesTitle = (command: Command): boolean => command.options.some(({ long }) => long === '--title')

/** No flag has blanks in it: somebody means a title. */
function dashedTitle(verb: string, typed: string): YardError {
  const says = `${verb} takes "${typed}" for a flag, because it starts with a dash`
  return cliError('CLI_BAD_USE', { says, fix: `${verb} --title "…"` })
}

function badUse(command: Command, says: string, fix = command.createHelp().commandUsage(command)): YardError {
  return cliError('CLI_BAD_USE', { says, fix })
}

function nearestVerb(command: Command, typed: string): string | undefined {
  return nearestName(
    typed,
    command.commands.map((one) => one.name()),
  )
}

/** Looks through the flags of the verb and of the program. */
function nearestFlag(command: Command, typed: string): string | undefined {
  const flags: string[] = []
  for (let at: Command | null = command; at !== null; at = at.parent) {
    for (const { long, hidden } of at.options) if (long != null && !hidden) flags.push(long)
  }
  const name = typed.split('=')[0] ?? typed
  const nearest = nearestName(
    name.replace(/^-+/, ''),
    flags.map((flag) => flag.replace(/^--/, '')),
  )
  return nearest === undefined ? undefined : `--${nearest}`
}
