import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { EditTaskBody, SettingView, TaskDetail } from '../../api/contract/index.ts'
import { changeEach } from '../act-on-tasks.ts'
import { checkWords, workspaceWords } from '../card/card-answer.ts'
import { type CardOptions, settingsOf, withCardOptions } from '../card/card-options.ts'
import { cardTemplate, parseCard } from '../card/edited-card.ts'
import { needsOf } from '../card/needs.ts'
import { type EditedText, keepUntilDone, openEditor } from '../card/open-editor.ts'
import { causeGroup } from '../cause-group.ts'
import { type CliDeps, type Commands, exitCode, type Yard } from '../command.ts'
import { cliError } from '../errors.ts'
import { readTextOrStdin } from '../input.ts'
import { sayNoneOfThese } from '../output.ts'
import { resolveTasks } from '../targets/resolve-tasks.ts'

interface EditOptions extends CardOptions {
  readonly dropNeeds?: readonly string[]
}

/** `edit T… [flags]`: changes cards that do not run. Without a flag, or with `-e`: one card in the editor. */
export function registerEdit(program: Command, commands: Commands): void {
  withCardOptions(program.command('edit').argument('[targets...]', 'tasks that do not run'))
    .usage('TARGET… [flags] [-- COMMAND…]')
    .option('--drop-needs <tasks>', 'no longer wait for these (with commas)', (text) => text.split(','))
    .description('change cards; without a flag, one card in $EDITOR')
    .action(
      commands.answer<EditOptions>((deps, { args, rest, options }) =>
        edit(deps, { targets: args.slice(0, args.length - rest.length), command: rest, options }),
      ),
    )
}

interface EditInput {
  readonly targets: readonly string[]
  readonly command: readonly string[]
  readonly options: EditOptions
}

async function edit(deps: CliDeps, { targets, command, options }: EditInput): Promise<number> {
  if (targets.length === 0) {
    throw cliError('CLI_NO_TARGET', { verb: 'yardmaster edit', example: 'yardmaster edit T5 --lane chat' })
  }
  const yard = await deps.openYard({ store: 'must_exist' })
  try {
    const lookUp = { client: yard.client, home: deps.home, causeGroup: causeGroup(deps, yard) }
    const { ids } = await resolveTasks(lookUp, { texts: targets, filters: {}, board: deps.flags.board, natural: [] })
    if (ids.length === 0) {
      sayNoneOfThese(deps)
      return exitCode.ok
    }
    const body = await bodyOf(deps, yard, { command, options })
    if (options.edit || Object.keys(body).length === 0) return await editInEditor(deps, yard, { ids, body })
    return await changeEach(deps, {
      ids,
      change: (id) => yard.client.editTask(id, body),
      says: (task) => `T${task.id} changed.`,
    })
  } finally {
    await yard.close()
  }
}

/** The change that the flags ask for; empty where there is none. */
async function bodyOf(
  deps: CliDeps,
  yard: Yard,
  { command, options }: Pick<EditInput, 'command' | 'options'>,
): Promise<EditTaskBody> {
  const { promptFile, needs, dropNeeds } = options
  const drop = dropNeeds === undefined ? [] : await needsOf(deps, yard, dropNeeds)
  return {
    ...settingsOf(options, deps),
    ...(command.length === 0 ? {} : { run: [...command] }),
    ...(promptFile === undefined ? {} : { prompt: await promptOf(deps, promptFile) }),
    ...(needs === undefined ? {} : { add_needs: await needsOf(deps, yard, needs) }),
    ...(drop.length === 0 ? {} : { remove_needs: drop.map(({ task }) => task) }),
  }
}

const promptOf = (deps: CliDeps, file: string): Promise<string> =>
  readTextOrStdin(deps, file === '-' ? '-' : resolve(deps.cwd, file))

interface InEditor {
  readonly ids: readonly number[]
  readonly body: EditTaskBody
}

async function editInEditor(deps: CliDeps, { client }: Yard, { ids, body }: InEditor): Promise<number> {
  const [id, ...others] = ids
  if (id === undefined || others.length > 0) {
    throw cliError('CLI_BAD_USE', {
      says: 'the editor takes one task at a time',
      fix: 'name one, or say the change in flags',
    })
  }
  const task = await client.task(id)
  const before = textOf(task)
  const settings = await client.settings(id).catch(() => []) // its lane is gone: the text can be mended all the same
  const edited = openEditor(deps, cardTemplate(before, [...remarks, ...settingRemarks(id, settings, task.dir)]))
  const change = { ...changeOf(task, edited, before), ...body }
  if (Object.keys(change).length === 0) {
    edited.forget()
    if (!deps.flags.json && !deps.flags.quiet) deps.err.write(`T${id} was left as it is.\n`)
    return exitCode.ok
  }
  return keepUntilDone(deps, edited, () =>
    changeEach(deps, { ids: [id], change: () => client.editTask(id, change), says: () => `T${id} changed.` }),
  )
}

const remarks = [
  'The first line is the title, below it the prompt or the command. Everything from the line above on is dropped.',
  'An empty text, or one that is not changed, leaves the card as it is.',
]

/** What the editor cannot change, and what can. */
function settingRemarks(id: number, settings: readonly SettingView[], dir: string): readonly string[] {
  const where = workspaceWords(settings, dir)
  const works = where === undefined ? '' : `It works ${where}. `
  const flags = `yardmaster edit T${id} --workspace … --repo … --check … --review …`
  return [`${works}Check: ${checkWords(settings) ?? 'none'}. To change that: ${flags}`]
}

/** The card as text. A prompt that begins with the title is shown once. */
function textOf({ title, prompt, run, id }: TaskDetail): string {
  if (Array.isArray(run)) {
    throw cliError('CLI_BAD_USE', {
      says: `T${id} is a command of single arguments, which an editor cannot show`,
      fix: `yardmaster edit T${id} -- COMMAND…`,
    })
  }
  const work = prompt ?? (typeof run === 'string' ? run : '')
  return beginsWith(work, title) ? work : `${title}\n\n${work}`
}

const beginsWith = (work: string, title: string): boolean => work.split('\n')[0]?.trim() === title

/** What was changed in the editor; empty where nothing was. */
function changeOf(task: TaskDetail, edited: EditedText, before: string): EditTaskBody {
  const card = parseCard(edited.text)
  if (card === undefined || (card.prompt ?? card.title) === before.trim()) return {}
  const whole = card.prompt ?? card.title
  const work = beginsWith(task.prompt ?? String(task.run), task.title) ? whole : belowTitle(whole)
  return { title: card.title, ...(task.kind === 'prompt' ? { prompt: work } : { run: work }) }
}

const belowTitle = (text: string): string => text.split('\n').slice(1).join('\n').trim() || text
