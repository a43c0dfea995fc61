import type { Command } from 'commander'
import { type Commands, exitCode } from '../command.ts'
import { cliError } from '../errors.ts'
import { editorSchemas, isSchemaKind, schemaKinds } from '../init/editor-schemas.ts'

/** `schema config|batch`: the JSON Schema with which editors complete and underline our files. */
export function registerSchema(program: Command, commands: Commands): void {
  program
    .command('schema')
    .argument('<file>', schemaKinds.join(' or '))
    .description('print the JSON Schema of a file of ours, for editors')
    .action(
      commands.answer(async ({ out }, { args: [kind = ''] }) => {
        if (!isSchemaKind(kind)) {
          throw cliError('CLI_BAD_USE', {
            says: `"${kind}" is no file of ours`,
            fix: `yardmaster schema ${schemaKinds.join(' | ')}`,
          })
        }
        out.write(`${JSON.stringify(editorSchemas[kind], undefined, 2)}\n`)
        return exitCode.ok
      }),
    )
}
