import { Command, Help, Option } from 'commander'
import type { CliDeps, CliFlags, CommandBody, Commands, RegisterCommand } from './command.ts'
import { cliError } from './errors.ts'
import { refuseWhatIsNotYet } from './not-yet.ts'
import { usageError } from './usage-error.ts'

/** The groups of the help page, in the order in which a person meets them (files-and-cli section 3). */
export const verbGroups: Readonly<Record<string, readonly string[]>> = {
  'Start:': ['init', 'up', 'down', 'service', 'doctor'],
  'Work:': ['add', 'edit', 'ready', 'attach', 'run', 'wait'],
  'Look:': ['list', 'watch', 'show', 'log', 'why', 'diff', 'report'],
  'Decide:': [
    'answer',
    'approve',
    'reject',
    'retry',
    'stop',
    'cancel',
    'block',
    'unblock',
    'release',
    'comment',
    'pause',
    'resume',
    'drain',
  ],
  'Keep:': ['apply', 'clean', 'archive', 'backup', 'restore', 'export', 'import', 'schema', 'help'],
  'Agent:': ['chat', 'dev'],
}

export interface ProgramParts {
  readonly verbs: readonly RegisterCommand[]
  readonly version: string
  readonly out: CliDeps['out']
  readonly paint: CliDeps['paint']
  /** The arguments after `yardmaster`: where `--` stands in them. */
  readonly argv: readonly string[]
  /** Runs a verb's body with what the flags say; the exit code is the caller's to keep. */
  readonly run: (flags: CliFlags, body: (deps: CliDeps) => Promise<number>) => Promise<void>
}

/** The whole command line on commander: verbs, flags of every verb, help, and what is refused by name. */
export function buildProgram(parts: ProgramParts): Command {
  const program = new Command('yardmaster')
    .description('A Kanban board whose cards run.')
    .usage('VERB [TARGET…] [flags]')
    .version(parts.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this, or with a verb: what it takes')
    .addHelpCommand(helpCommand())
    .addOption(new Option('--json', 'answer as JSON: one document, or one a line where it goes on'))
    .addOption(new Option('-q, --quiet', 'say only what was asked for'))
    .addOption(new Option('-y, --yes', 'do not ask'))
    .addOption(new Option('-b, --board <name>', 'the board that is meant'))
    .addOption(new Option('--config <file>', 'read this yardmaster.yaml and look for no other'))
    .addHelpText('after', () => `\n${new Help().boxWrap(targetsHelp, helpWidth(parts.out))}`)
  const commands = commandsOf(program, parts)
  for (const register of parts.verbs) register(program, commands)
  refuseWhatIsNotYet(program)
  groupHelp(program)
  for (const command of withChildren(program)) harden(command, parts)
  return program
}

const helpCommand = (): Command =>
  new Command('help').argument('[verb]').usage('[VERB]').description('the same as VERB --help')

const targetsHelp =
  'TARGET: T5, 5, T5-T9, R12 (an attempt), B7 or night (a batch), a key, - (the last one), @failed, @needs-me, @E1 (a group ' +
  'of the report); or the filters --batch --lane --label --status.'

const helpWidth = (out: ProgramParts['out']): number => Math.min(out.width(), 110)

function commandsOf(program: Command, { argv, run }: ProgramParts): Commands {
  return {
    answer<Options>(body: CommandBody<Options>) {
      return async (...commanderGives: unknown[]) => {
        const command = commanderGives.at(-1) as Command
        const dashes = argv.indexOf('--')
        const rest = dashes === -1 ? [] : argv.slice(dashes + 1)
        if (dashes !== -1 && rest.length === 0 && takesCommand(command)) throw noCommand(command)
        const input = { args: command.args, rest, options: command.opts() as Options }
        await run(flagsOf(program), (deps) => body(deps, input))
      }
    },
  }
}

const takesCommand = (command: Command): boolean => command.usage().includes('-- COMMAND')

/** Mostly a variable that is empty: the words before it are no prompt that an agent should be paid for. */
const noCommand = (command: Command) =>
  cliError('CLI_BAD_USE', {
    says: `${command.name()} was given -- and no command after it`,
    fix: `write the command behind it, or leave -- out: yardmaster ${command.name()} … -- make test`,
  })

function flagsOf(program: Command): CliFlags {
  const given = program.opts<{ json?: true; quiet?: true; yes?: true; board?: string; config?: string }>()
  return {
    json: given.json === true,
    quiet: given.quiet === true,
    yes: given.yes === true,
    board: given.board,
    config: given.config,
  }
}

/** Commander must neither exit nor print: faults of the line become errors of ours. */
function harden(command: Command, { out, paint }: ProgramParts): void {
  // That of the program is in one of its groups, which the verbs below a verb do not have.
  if (command.parent !== null && command.commands.length > 0) command.addHelpCommand(helpCommand())
  command
    .exitOverride((fault) => {
      throw fault.exitCode === 0 ? fault : usageError(command, fault)
    })
    .configureOutput({
      writeOut: (text) => out.write(text),
      writeErr: () => {}, // faults of the line are printed by us, with their fix
      getOutHelpWidth: () => helpWidth(out),
      getOutHasColors: () => paint.isColorSupported,
    })
    .configureHelp({
      showGlobalOptions: command.parent !== null,
      styleTitle: (text) => paint.bold(headings[text] ?? text),
      subcommandTerm: (verb) => `${verb.name()} ${verb.usage().replace(/ *\[flags\]/, '')}`.trim(),
    })
    .usage(usageOf(command))
    .showSuggestionAfterError(false)
    .allowExcessArguments(command.parent === null || command.commands.length > 0)
}

/** Commander's headings in our words. */
const headings: Readonly<Record<string, string>> = { 'Options:': 'Flags:', 'Global Options:': 'Flags of every verb:' }

/** As a verb says it itself, else made from its arguments: `TARGET… [flags]`. */
function usageOf(command: Command): string {
  const own = command.usage()
  if (!own.startsWith('[options]')) return own
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.name().toUpperCase() + (argument.variadic ? '…' : '')
    return argument.required ? name : `[${name}]`
  })
  return [...(command.commands.length > 0 ? ['VERB'] : operands), '[flags]'].join(' ')
}

function groupHelp(program: Command): void {
  const order = Object.values(verbGroups).flat()
  const all = [...program.commands, ...program.createHelp().visibleCommands(program)]
  for (const [group, verbs] of Object.entries(verbGroups)) {
    for (const command of all) if (verbs.includes(command.name())) command.helpGroup(group)
  }
  const place = (command: Command): number => {
    const index = order.indexOf(command.name())
    return index === -1 ? order.length : index
  }
  const commands = program.commands as Command[]
  commands.sort((a, b) => place(a) - place(b))
}

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)]
}
