import { type Command, Option } from 'commander'
import type { EditTaskBody } from '../../api/contract/index.ts'
import { cliError } from '../errors.ts'
import { type TypedAt, type WorkspaceFlags, workspaceOf } from './card-workspace.ts'

/** Flags that `add` and `edit` share. */
export interface CardOptions extends WorkspaceFlags {
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
  readonly check?: string
  readonly review?: string
  readonly mayChange?: readonly string[]
  readonly expect?: string
}

/** Declares them. */
export function withCardOptions(command: Command): Command {
  const again = (value: string, before: readonly string[] = []) => [...before, value]
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
    .option('--workspace <where>', 'here, scratch, worktree, or a folder')
    .option('--repo <path>', 'work in a worktree of this repository: a path or a URL')
    .option('--ref <ref>', 'the worktree begins from this branch, tag or commit')
    .option('--check <command>', 'done means that this exits with 0 afterwards; none for no check')
    .option('--review <who>', 'who says whether it counts: none, person, or a lane')
    .addOption(
      new Option('--may-change <glob>', 'what it may change, from the top of the repository (again)').argParser(again),
    )
    .option('--expect <what>', 'change: done without a change is not done')
}

/** The settings among them as the API takes them; `needs` are resolved by the caller. */
export function settingsOf(options: CardOptions, at: TypedAt): Omit<EditTaskBody, 'add_needs' | 'remove_needs'> {
  const { title, lane, label, timeout, startAfter, check, review, mayChange } = options
  const priority = wholeNumber('--priority', options.priority)
  const attempts = wholeNumber('--attempts', options.attempts)
  const workspace = workspaceOf(options, at)
  const expect = options.expect === undefined ? undefined : expectOf(options.expect)
  return {
    ...(title === undefined ? {} : { title }),
    ...(lane === undefined ? {} : { lane }),
    ...(priority === undefined ? {} : { priority }),
    ...(label === undefined ? {} : { labels: [...label] }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(startAfter === undefined ? {} : { start_after: startAfter }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(check === undefined ? {} : { check }),
    ...(review === undefined ? {} : { review }),
    ...(mayChange === undefined ? {} : { may_change: [...mayChange] }),
    ...(expect === undefined ? {} : { expect }),
  }
}

function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw cliError('CLI_BAD_USE', { says: `${flag} takes a whole number, not "${text}"`, fix: `${flag} 1` })
}

function expectOf(text: string): 'any' | 'change' {
  if (text === 'any' || text === 'change') return text
  throw cliError('CLI_BAD_USE', { says: `--expect takes any or change, not "${text}"`, fix: '--expect change' })
}
