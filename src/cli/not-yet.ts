import { type Command, Option } from 'commander'
import { cliError } from './errors.ts'
import { fullName } from './usage-error.ts'

/**
 * Verbs and flags that files-and-cli.md promises and a later part brings. They are refused by name (exit 2), because a
 * flag that is accepted and ignored is a lie (C137). When a part lands, its rows go away here.
 */
export const verbsNotYet: Readonly<Record<string, string>> = {
  attach: 'put the path of the file into the prompt: yardmaster edit T',
  diff: 'look into the folder of the attempt: yardmaster show T',
  apply: 'git in the folder of the task: yardmaster show T',
  clean: 'nothing is removed by itself yet; folders of attempts are named by yardmaster show T',
  token: 'the admin token is in the home, in the file token',
  api: 'curl with the home’s token; the address is printed by yardmaster up',
  completion: 'yardmaster --help lists the verbs',
}

/** By verb: the flag as commander spells it, and what helps until then. */
export const flagsNotYet: Readonly<Record<string, readonly (readonly [flag: string, instead: string])[]>> = {
  add: [['--attach <file>', 'put the path of the file into the prompt']],
}

/** Declares what is not available yet, hidden from help, each answering `CLI_NOT_YET`. */
export function refuseWhatIsNotYet(program: Command): void {
  for (const [verb, instead] of Object.entries(verbsNotYet)) {
    refused(program, verb, instead)
  }
  const dev = program.commands.find((command) => command.name() === 'dev')
  if (dev !== undefined) refused(dev, 'replay', 'yardmaster log R shows what the attempt said')
  for (const command of program.commands) {
    for (const [flag, instead] of flagsNotYet[command.name()] ?? []) refuseFlag(command, flag, instead)
  }
}

function refused(parent: Command, verb: string, instead: string): void {
  const command = parent.command(verb, { hidden: true })
  command
    .argument('[anything...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      throw cliError('CLI_NOT_YET', { what: fullName(command), instead })
    })
}

function refuseFlag(command: Command, flag: string, instead: string): void {
  const option = new Option(flag).hideHelp()
  option.argParser(() => refuse())
  command.addOption(option)
  command.on(`option:${option.name()}`, refuse)

  function refuse(): never {
    throw cliError('CLI_NOT_YET', { what: `${fullName(command)} ${flag.split(' ')[0]}`, instead })
  }
}
