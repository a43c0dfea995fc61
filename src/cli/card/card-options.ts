import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { EditTaskBody } from '../../api/contract/index.ts'
import { cliError } from '../errors.ts'

/** Flags that `add` and `edit` share. */
export interface CardOptions {
  readonly edit?: true
  readonly title?: string
  readonly promptFile?: string
  readonly lane?: string
  readonly needs?: readonly string[]
  readonly priority?: string
  readonly label?: readonly string[]
  readonly timeout?: string
  readonly attempts?: string
  readonly startAfter?: string
  readonly workspace?: string
}

/** Declares them. */
export function withCardOptions(command: Command): Command {
  const several = (value: string, before: readonly string[] = []) => [...before, ...value.split(',')]
  return command
    .option('-e, --edit', 'write it in $EDITOR')
    .option('--title <title>', 'the title, where it would be taken for a flag or is not the prompt')
    .option('--prompt-file <file>', 'the prompt is in this file (- for standard input)')
    .option('--lane <lane>', 'who works on it')
    .addOption(new Option('--needs <tasks>', 'starts when these are done (again, or with commas)').argParser(several))
    .option('--priority <number>', '-9 to 9, higher first; 0 without it')
    .addOption(new Option('--label <label>', 'a label (again, or with commas)').argParser(several))
    .option('--timeout <duration>', 'how long an attempt may take, such as 30m')
    .option('--attempts <number>', 'how often it may fail')
    .option('--start-after <time>', 'not before 07:30, or 2026-11-30T07:30')
    .option('--workspace <where>', 'here, scratch, or a folder')
}

/** The settings among them as the API takes them; `needs` are resolved by the caller. */
export function settingsOf(options: CardOptions, cwd: string): Omit<EditTaskBody, 'add_needs' | 'remove_needs'> {
  const { title, lane, label, timeout, startAfter } = options
  const priority = wholeNumber('--priority', options.priority)
  const attempts = wholeNumber('--attempts', options.attempts)
  return {
    ...(title === undefined ? {} : { title }),
    ...(lane === undefined ? {} : { lane }),
    ...(priority === undefined ? {} : { priority }),
    ...(label === undefined ? {} : { labels: [...label] }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(startAfter === undefined ? {} : { start_after: startAfter }),
    ...(options.workspace === undefined ? {} : { workspace: workspaceOf(options.workspace, cwd) }),
  }
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw cliError('CLI_BAD_USE', { says: `${flag} takes a whole number, not "${text}"`, fix: `${flag} 1` })
}

type WorkspaceBody = NonNullable<EditTaskBody['workspace']>

/** A word that the API knows (and refuses by name where it comes later), or a folder from here. */
function workspaceOf(text: string, cwd: string): WorkspaceBody {
  if (['here', 'scratch', 'worktree'].includes(text)) return text as WorkspaceBody
  return { dir: resolve(cwd, text) }
}
