import type { Command } from 'commander'
import type { Client } from '../../api/client/index.ts'
import { describeSize } from '../../kernel/index.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { fileTable } from '../files/file-words.ts'
import { getFile } from '../files/get-file.ts'
import { findFiles, type LocalFile } from '../files/local-file.ts'
import { writeJson } from '../output.ts'
import { asText } from '../render/as-text.ts'
import { onOneLine } from '../render/visible.ts'
import { rememberTarget } from '../targets/last-target.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

interface AttachOptions {
  readonly name?: string
  readonly list?: true
  readonly get?: string
  readonly output?: string
}

/** `attach T FILE…`, `attach T --list`, `attach T --get NAME`: files of a card, in and out. */
export function registerAttach(program: Command, commands: Commands): void {
  program
    .command('attach')
    .argument('[target_files...]', 'a task, and files to give with it (- is standard input)')
    .option('--name <name>', 'what the file is to be called')
    .option('--list', 'say which files the task has')
    .option('--get <name>', 'write one of them (its name or number) to a file')
    .option('-o, --output <file>', 'with --get: that file; it is not there yet')
    .usage('TARGET FILE… [flags]')
    .description('give files with a task, at most 25 MiB each, and get them back')
    .action(commands.answer<AttachOptions>((deps, { args, options }) => attach(deps, args, options)))
}

async function attach(deps: CliDeps, args: readonly string[], options: AttachOptions): Promise<number> {
  const [target, ...paths] = args
  if (target === undefined) throw cliError('CLI_NO_TARGET', { verb: 'yardmaster attach', example })
  const looks = options.list === true || options.get !== undefined
  refuseMixed(options, paths)
  const files = looks ? [] : findFiles(deps, { paths, name: options.name })
  if (!looks && files.length === 0) {
    throw cliError('CLI_BAD_USE', { says: 'attach needs a file', fix: `${example}; what there is: --list` })
  }
  const yard = await deps.openYard({ store: looks ? 'read' : 'must_exist' })
  try {
    const task = await oneTask(deps, yard, target)
    rememberTarget(deps.home, `T${task}`)
    if (options.get !== undefined) {
      return await getFile(deps, yard.client, { task, wanted: options.get, output: options.output })
    }
    return await (looks ? list(deps, yard.client, task) : sendAll(deps, yard.client, { task, files }))
  } finally {
    await yard.close()
  }
}

const example = 'yardmaster attach T5 spec.pdf'

function refuseMixed({ list, get, output, name }: AttachOptions, paths: readonly string[]): void {
  const given = [
    ...(paths.length > 0 ? ['files'] : []),
    ...(list ? ['--list'] : []),
    ...(get === undefined ? [] : ['--get']),
  ]
  const says =
    given.length > 1
      ? `${given.join(' and ')} do not go together`
      : output !== undefined && get === undefined
        ? '-o is for --get'
        : name !== undefined && (list || get !== undefined)
          ? '--name is for a file that is given'
          : undefined
  if (says !== undefined)
    throw cliError('CLI_BAD_USE', { says, fix: `${example}, or yardmaster attach T5 --get spec.pdf` })
}

/** A file belongs to one card: what is meant for many is named by path in their prompts. */
async function oneTask(deps: CliDeps, yard: Yard, target: string): Promise<number> {
  const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
  const { ids } = await resolveTasks(lookUp, { texts: [target], filters: {}, board: deps.flags.board, natural: [] })
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return id
  throw cliError('CLI_BAD_USE', {
    says: `${target} names ${ids.length} tasks, and a file is given with one`,
    fix: 'name one task, or put the path of the file into their prompts',
  })
}

async function list(deps: CliDeps, client: Client, task: number): Promise<number> {
  const files = await client.attachments(task)
  if (deps.flags.json) writeJson(deps, files)
  else if (files.length === 0) deps.err.write(`T${task} has no files: yardmaster attach T${task} FILE\n`)
  else
    deps.out.write(asText(fileTable(files, { width: deps.out.width(), nowMs: deps.clock.nowMs(), paint: deps.paint })))
  return exitCode.ok
}

async function sendAll(
  deps: CliDeps,
  client: Client,
  { task, files }: { readonly task: number; readonly files: readonly LocalFile[] },
): Promise<number> {
  const { open_run: running } = await client.task(task)
  for (const file of files) {
    const view = await client.attach(task, file.name, file.open())
    if (deps.flags.json) writeJson(deps, view)
    else if (deps.flags.quiet) deps.out.write(`${view.id}\n`)
    else deps.out.write(`T${task}: ${onOneLine(view.name)}, ${describeSize(view.bytes)}, is its file ${view.id}.\n`)
  }
  if (running !== null && !deps.flags.json && !deps.flags.quiet) {
    deps.err.write(
      `R${running} has begun without ${files.length === 1 ? 'it' : 'them'}; the next attempt gets all files of the task.\n`,
    )
  }
  return exitCode.ok
}
