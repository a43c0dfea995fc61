import { resolve } from 'node:path'
import type { Command } from 'commander'
import { longestTitle, type NewTaskBody } from '../../api/contract/index.ts'
import { createdLine } from '../card/card-answer.ts'
import { type CardOptions, settingsOf, withCardOptions } from '../card/card-options.ts'
import { cardTemplate, parseCard } from '../card/edited-card.ts'
import { needsOf } from '../card/needs.ts'
import { type EditedText, openEditor } from '../card/open-editor.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { readTextOrStdin } from '../input.ts'
import { writeJson } from '../output.ts'
import { rememberTarget } from '../targets/last-target.ts'

interface AddOptions extends CardOptions {
  readonly draft?: true
  readonly key?: string
}

/** `add TITLE`, `add -e`, `add --prompt-file F`, `add -`, `add [TITLE] -- CMD…`: one card. */
export function registerAdd(program: Command, commands: Commands): void {
  withCardOptions(program.command('add').argument('[title...]', 'what is to be done (- reads it from standard input)'))
    .usage('[TITLE] [flags] [-- COMMAND…]')
    .option('--draft', 'do not start it: yardmaster ready T does')
    .option('--key <key>', 'nothing is added while an open task holds this key')
    .description('put a card on the board; what follows -- is a command, run as it stands')
    .action(
      commands.answer<AddOptions>((deps, { args, rest, options }) =>
        add(deps, { words: args.slice(0, args.length - rest.length), command: rest, options }),
      ),
    )
}

interface AddInput {
  readonly words: readonly string[]
  readonly command: readonly string[]
  readonly options: AddOptions
}

async function add(deps: CliDeps, input: AddInput): Promise<number> {
  const { options } = input
  const { work, edited } = await workOf(deps, input)
  const settings = settingsOf({ ...options, ...(work.title === undefined ? {} : { title: work.title }) }, deps.cwd)
  const yard = await deps.openYard()
  try {
    const body: NewTaskBody = {
      ...work,
      ...settings,
      dir: deps.cwd,
      ...(deps.flags.board === undefined ? {} : { board: deps.flags.board }),
      ...(options.key === undefined ? {} : { key: options.key }),
      ...(options.draft || options.edit ? { draft: true } : {}),
      ...(options.needs === undefined ? {} : { needs: await needsOf(deps, yard, options.needs) }),
    }
    return await create(deps, yard, body)
  } catch (fault) {
    if (edited !== undefined) deps.err.write(`Your text is kept in ${edited.file}\n`)
    throw fault
  } finally {
    await yard.close()
  }

  async function create(deps: CliDeps, { client, hub }: Yard, body: NewTaskBody): Promise<number> {
    const answer = await client.createTask(body)
    edited?.forget()
    const { task } = answer
    rememberTarget(deps.home, `T${task.id}`)
    if (deps.flags.json) writeJson(deps, answer)
    else if (deps.flags.quiet) deps.out.write(`T${task.id}\n`)
    else {
      const settings = await client.settings(task.id)
      deps.out.write(`${createdLine(answer, { settings, dir: deps.cwd, nowMs: deps.clock.nowMs() })}\n`)
      if (hub === 'none' && answer.created) deps.out.write('No hub is up, so nothing starts yet: yardmaster up -d\n')
    }
    return exitCode.ok
  }
}

interface Work {
  readonly title?: string
  readonly prompt?: string
  readonly run?: string[]
}

/** What is to be done: a command, or a prompt from the line, a file, standard input or the editor. */
async function workOf(
  deps: CliDeps,
  { words, command, options }: AddInput,
): Promise<{ readonly work: Work; readonly edited?: EditedText }> {
  const [word, ...more] = words
  if (more.length > 0) {
    throw cliError('CLI_BAD_USE', {
      says: `add takes one title, and here are ${words.length} words`,
      fix: 'put the title in quotes',
    })
  }
  const title = options.title ?? word
  const named = title === undefined || title === '-' ? {} : { title }
  const sources = [
    ...(command.length > 0 ? ['a command after --'] : []),
    ...(options.promptFile === undefined ? [] : ['--prompt-file']),
    ...(options.edit ? ['-e'] : []),
  ]
  if (sources.length > 1) {
    throw cliError('CLI_BAD_USE', { says: `${sources.join(' and ')} do not go together`, fix: 'say one of them' })
  }
  if (command.length > 0) return { work: { ...named, run: [...command] } }
  if (options.promptFile !== undefined) {
    const path = options.promptFile === '-' ? '-' : resolve(deps.cwd, options.promptFile)
    return { work: { ...named, prompt: await readTextOrStdin(deps, path) } }
  }
  if (options.edit) return edit(deps, title ?? '')
  if (word === '-') return { work: promptOf(await deps.stdin.readAll()) }
  if (title === undefined || title.trim() === '') {
    throw cliError('CLI_BAD_USE', {
      says: 'add needs a title',
      fix: 'yardmaster add "Fix the login test", or yardmaster add -e',
    })
  }
  return { work: word === undefined || options.title === undefined ? promptOf(title) : { title, prompt: word } }
}

function edit(deps: CliDeps, text: string): { readonly work: Work; readonly edited: EditedText } {
  const edited = openEditor(deps, cardTemplate(text, remarks))
  const card = parseCard(edited.text)
  if (card === undefined) {
    edited.forget()
    throw cliError('CLI_BAD_USE', { says: 'nothing was written, so nothing was added', fix: 'yardmaster add -e' })
  }
  return { work: { title: card.title, prompt: card.prompt ?? card.title }, edited }
}

const remarks = [
  'The first line is the title; all of it is the prompt. Everything from the line above on is dropped.',
  'An empty text adds nothing. The card becomes a draft: yardmaster ready T… starts it.',
]

/** A text that can be a title is one, as it stands; of a longer one the board makes a title. */
function promptOf(prompt: string): Work {
  const fits = !/[\r\n]/.test(prompt.trim()) && [...prompt].length <= longestTitle
  return fits ? { title: prompt.trim(), prompt } : { prompt }
}
