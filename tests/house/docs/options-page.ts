import type { Command } from 'commander'
import { BatchFileSchema } from '../../../src/cli/batch-file/index.ts'
import { ConfigSchema } from '../../../src/kernel/config/index.ts'
import { type ChatFlag, chatFlags } from '../../../src/worker/chat/flags.ts'
import { schemaTable } from './schema-table.ts'

/** Variables that the program reads. The list is held against the sources by a test. */
export const environmentVariables: Readonly<Record<string, string>> = {
  YARDMASTER_HOME:
    'Home of the yard: store, logs, scratch folders. Default: `$XDG_STATE_HOME/yardmaster`, else `~/.local/state/yardmaster`',
  YARDMASTER_CONFIG: 'The `yardmaster.yaml` to read, where `--config` does not say it',
  YARDMASTER_RETRY_WAIT:
    'Shortest and longest wait before another attempt, such as `200ms-2s`. Default: `10s-10m`. Meant for demos and tests',
  YARDMASTER_API_KEY: '`chat -q` only: the key of the provider; read once and taken out of the environment',
  YARDMASTER_DEBUG: 'Set to anything: errors that are no errors of a catalogue show where they come from',
  YARDMASTER_CRASH_AT: 'Test builds only: the named point at which the program kills itself',
  YARDMASTER_CLOCK_OFFSET_FILE: 'Test builds only: a file with the milliseconds by which the wall clock is off',
}

/** What a worker finds in its environment. */
export const workerVariables: Readonly<Record<string, string>> = {
  YARDMASTER_TASK: 'Its task: `T5`',
  YARDMASTER_RUN: 'Its attempt: `R12`',
  YARDMASTER_RUN_DIR: "The attempt's own folder",
  YARDMASTER_ATTACHMENTS: 'Where people have given files with the task: the folder that holds them',
  YARDMASTER_REPORT: 'Where it may leave a report (JSON, written beside and renamed)',
  YARDMASTER_FENCE: 'The number that its report must carry',
  YARDMASTER_HUB_FILE:
    '`chat` only: a file with the address at which the hub answers (`http://127.0.0.1:7420`); read it anew at each call, since a hub that was started again may have another port',
  YARDMASTER_SECRET_NAMES: '`chat` only: names of its variables that its lane calls secrets; it masks their values',
  YARDMASTER_SLOT: 'The least free number from 0: `PORT=$((3000 + YARDMASTER_SLOT * 10))`',
  YARDMASTER_MARKER: 'Tells which processes belong to the attempt; leave it alone',
}

/** docs/options.md, made from the schemas, the command line and the two lists above. */
export function optionsPage(program: Command): string {
  return `${[
    '# Options',
    'Made from the code by `npm run docs`; a test fails when it differs. Durations are written `30s`, `20m`, `5h` or `1h30m`.',
    '## `yardmaster.yaml`',
    'Found by `--config`, `$YARDMASTER_CONFIG`, then upwards from the current folder to the root of the repository, then in the ' +
      "user's own configuration folder. The first one found is the one; an empty file is a working yard.",
    schemaTable(ConfigSchema),
    '## The batch file',
    schemaTable(BatchFileSchema),
    '## The command line',
    ...program.commands.flatMap((command) => verbSection(program.name(), command)),
    '## Environment',
    variableTable(environmentVariables),
    '## Environment of a worker',
    'Besides an allow-list of the usual variables (PATH, HOME, LANG and the like), what `env` and `pass_env` name, and the ' +
      "secret of the lane's own account:",
    variableTable(workerVariables),
  ].join('\n\n')}\n`
}

function verbSection(parent: string, command: Command): readonly string[] {
  const help = command.createHelp()
  const isHidden = !command.parent?.createHelp().visibleCommands(command.parent).includes(command)
  if (isHidden || command.name() === 'help') return []
  const name = `${parent} ${command.name()}`
  const options = help.visibleOptions(command).filter((option) => option.long !== '--help')
  const written = options.map((option) => [option.flags, option.description] as const)
  const rows = [...written, ...(command.name() === 'chat' ? chatRows() : [])].map(
    ([flags, means]) => `| \`${flags}\` | ${means.replaceAll('|', '\\|')} |`,
  )
  const table = rows.length === 0 ? [] : [['| flag | meaning |', '| --- | --- |', ...rows].join('\n')]
  const children = command.commands.flatMap((child) => verbSection(name, child))
  return [`### \`${`${name} ${command.usage()}`.trim()}\``, `${command.description()}.`, ...table, ...children]
}

/** The agent reads its own line, so that it starts without the command line's library. */
function chatRows(): readonly (readonly [flags: string, means: string])[] {
  return Object.values<ChatFlag>(chatFlags).map(({ short, name, value, oneOf, means, byDefault }) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    [
      ...(oneOf === undefined ? [] : [`one of ${oneOf.join(', ')}`]),
      means,
      ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
    ].join('; '),
  ])
}

function variableTable(variables: Readonly<Record<string, string>>): string {
  const rows = Object.entries(variables).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  return ['| variable | meaning |', '| --- | --- |', ...rows].join('\n')
}
