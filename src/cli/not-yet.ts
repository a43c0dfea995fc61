import type { Command } from 'commander'
import { cliError } from './errors.ts'
import { fullName } from './usage-error.ts'

/**
 * Verbs that files-and-cli.md promises and a later part brings. They are refused by name (exit 2), because a
 * word that is accepted and ignored is a lie (C137). When a part lands, its rows go away here.
 */
export const verbsNotYet: Readonly<Record<string, string>> = {
  token: 'the admin token is in the home, in the file token',
  api: 'curl with the home’s token; the address is printed by yardmaster up',
  completion: 'yardmaster --help lists the verbs',
}

/** Declares what is not available yet, hidden from help, each answering `CLI_NOT_YET`. */
export function refuseWhatIsNotYet(program: Command): void {
  for (const [verb, instead] of Object.entries(verbsNotYet)) {
    refused(program, verb, instead)
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
