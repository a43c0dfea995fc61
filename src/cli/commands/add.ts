import { type Command, Option } from 'commander'
import type { NewTaskBody } from '../../api/contract/index.ts'
import { noHubLine } from '../act-on-tasks.ts'
import { type Around, lookForRepository } from '../card/around.ts'
import { createdLine, obstacleLine } from '../card/card-answer.ts'
import { type CardOptions, settingsOf, withCardOptions } from '../card/card-options.ts'
import { type CardWords, readCardWork } from '../card/card-work.ts'
import { describeRepository } from '../card/describe-repository.ts'
import { needsOf } from '../card/needs.ts'
import { keepUntilDone } from '../card/open-editor.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { createWithFiles } from '../files/create-with-files.ts'
import { filesLine } from '../files/file-words.ts'
import { findFiles, type LocalFile } from '../files/local-file.ts'
import { writeJson } from '../output.ts'
import { rememberTarget } from '../targets/last-target.ts'

interface AddOptions extends CardOptions {
  readonly draft?: true
  readonly key?: string
  readonly attach?: readonly string[]
}

/** `add TITLE`, `add -e`, `add --prompt-file F`, `add -`, `add [TITLE] -- CMD…`: one card. */
export function registerAdd(program: Command, commands: Commands): void {
  withCardOptions(program.command('add').argument('[title...]', 'what is to be done (- reads it from standard input)'))
    .usage('[TITLE] [flags] [-- COMMAND…]')
    .option('--draft', 'do not start it: yardmaster ready T does')
    .option('--key <key>', 'nothing is added while an open task holds this key')
    .addOption(
      new Option('--attach <file>', 'give this file with it, at most 25 MiB (again)').argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    )
    .description('put a card on the board; what follows -- is a command, run as it stands')
    .action(
      commands.answer<AddOptions>((deps, { args, rest, options }) =>
        add(deps, { words: args.slice(0, args.length - rest.length), command: rest, options }),
      ),
    )
}

interface AddInput extends CardWords {
  readonly options: AddOptions
}

async function add(deps: CliDeps, input: AddInput): Promise<number> {
  const { options } = input
  const { work, edited } = await readCardWork(deps, input)
  return keepUntilDone(deps, edited, async () => {
    const title = work.title === undefined ? {} : { title: work.title }
    const settings = settingsOf({ ...options, ...title }, deps)
    const { fields, found } = await lookForRepository(deps, { ...work, ...settings }, deps.cwd)
    const files = findFiles(deps, { paths: options.attach ?? [], name: undefined })
    const yard = await deps.openYard()
    try {
      const body = {
        ...fields,
        dir: deps.cwd,
        ...(deps.flags.board === undefined ? {} : { board: deps.flags.board }),
        ...(options.key === undefined ? {} : { key: options.key }),
        ...(options.draft || options.edit ? { draft: true } : {}),
        ...(options.needs === undefined ? {} : { needs: await needsOf(deps, yard, options.needs) }),
      }
      return await create(deps, yard, { body, found, files })
    } finally {
      await yard.close()
    }
  })
}

interface NewCard {
  readonly body: NewTaskBody
  readonly found: Around<unknown>['found']
  readonly files: readonly LocalFile[]
}

async function create(deps: CliDeps, { client, hub }: Yard, { body, found, files }: NewCard): Promise<number> {
  const answer = await createWithFiles({ client, err: deps.err }, { body, files })
  const { task, created, attachments = [] } = answer
  rememberTarget(deps.home, `T${task.id}`)
  if (deps.flags.json) writeJson(deps, answer)
  else if (deps.flags.quiet) deps.out.write(`T${task.id}\n`)
  else {
    const settings = await client.settings(task.id)
    const repository = await describeRepository(deps, { settings, found })
    const said = { settings, dir: deps.cwd, userHome: deps.env.HOME, repository, nowMs: deps.clock.nowMs() }
    deps.out.write(`${createdLine(answer, said)}\n`)
    if (!created) return exitCode.ok
    if (attachments.length > 0) deps.out.write(`With it: ${filesLine(task.id, attachments)}\n`)
    const { lanes } = await client.health()
    const why = hub === 'none' ? undefined : await client.why(task.id)
    const obstacle = obstacleLine(task, { lanes, why })
    if (obstacle !== undefined) deps.out.write(`${obstacle}\n`)
    if (hub === 'none') deps.out.write(noHubLine)
  }
  return exitCode.ok
}
