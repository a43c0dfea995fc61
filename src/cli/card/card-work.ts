import { resolve } from 'node:path'
import { longestTitle } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import { cliError } from '../errors.ts'
import { readTextOrStdin } from '../input.ts'
import type { CardOptions } from './card-options.ts'
import { cardTemplate, parseCard } from './edited-card.ts'
import { type EditedText, openEditor } from './open-editor.ts'

/** What is to be done, as the API takes it: a prompt or a command, and a title where one was said. */
export interface CardWork {
  readonly title?: string
  readonly prompt?: string
  readonly run?: string[]
}

export interface CardWords {
  /** What stands on the line before `--`: at most one title. */
  readonly words: readonly string[]
  /** What stands after it. */
  readonly command: readonly string[]
  readonly options: Pick<CardOptions, 'title' | 'promptFile' | 'edit'>
}

/**
 * Finds what a new card is to do: a command, or a prompt from the line, a file, standard input or the editor. Throws
 * `CLI_BAD_USE` where there is nothing, or more than one.
 */
export async function readCardWork(
  deps: Pick<CliDeps, 'cwd' | 'env' | 'stdin'>,
  { words, command, options }: CardWords,
): Promise<{ readonly work: CardWork; readonly edited?: EditedText }> {
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

function edit(
  deps: Pick<CliDeps, 'env' | 'stdin'>,
  text: string,
): { readonly work: CardWork; readonly edited: EditedText } {
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
  'Where it works and how it is judged: yardmaster edit T… --repo PATH --check COMMAND --review WHO --expect change.',
]

/** A text that can be a title is one, as it stands; of a longer one the board makes a title. */
function promptOf(prompt: string): CardWork {
  const fits = !/[\r\n]/.test(prompt.trim()) && [...prompt].length <= longestTitle
  return fits ? { title: prompt.trim(), prompt } : { prompt }
}
