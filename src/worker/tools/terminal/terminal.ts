import { assertNever, describeDuration, type Redactor } from '../../../kernel/index.ts'
import type { Tool, ToolArguments, ToolOrder, ToolResult } from '../tool.ts'
import type { CommandDeps, CommandEnd } from './run-command.ts'

const longestTimeoutS = 600

export interface TerminalToolDeps extends CommandDeps {
  readonly maskKnown: Redactor
  /** How long a command may run where the model says nothing. */
  readonly commandTimeoutMs: number
}

/** Runs a command in the workspace. */
export const createTerminalTool = (deps: TerminalToolDeps): Tool => ({
  name: 'terminal',
  means:
    'Run a bash command in the workspace and wait for its end. It gets no input. Long output is cut in the middle. ' +
    'Do not start servers or other background processes.',
  fields: [
    { name: 'command', type: 'string', means: 'the bash command', required: true },
    {
      name: 'timeout_seconds',
      type: 'integer',
      means: 'how long it may run',
      required: false,
      least: 1,
      most: longestTimeoutS,
    },
  ],
  effect: 'writes',
  run: (args, order) => runInTerminal(deps, args, order),
})

async function runInTerminal(deps: TerminalToolDeps, args: ToolArguments, { signal }: ToolOrder): Promise<ToolResult> {
  const command = String(args.command)
  if (command.includes('\0')) {
    return { text: 'error: the command holds a zero byte', summary: 'terminal refused', outcome: 'failed' }
  }
  const timeoutMs = args.timeout_seconds === undefined ? deps.commandTimeoutMs : Number(args.timeout_seconds) * 1_000
  const { runCommand } = await import('./run-command.ts')
  const run = await runCommand(deps, { command, timeoutMs, signal })
  const said = describeEnd(run.end, timeoutMs)
  const left = run.leftRunning
    ? '\n[something it started still runs in the background; its output is no longer read]'
    : ''
  const output = run.outputBytes === 0 ? '[no output]' : deps.maskKnown(run.output)
  const took = describeDuration(run.elapsedMs)
  return {
    text: `${output}\n[${said}, ${took}]${left}`,
    summary: `terminal: ${oneLine(command)}: ${said}, ${took}, ${run.outputBytes} bytes`,
    outcome: run.end.kind === 'code' && run.end.code === 0 ? 'ok' : 'failed',
  }
}

function describeEnd(end: CommandEnd, timeoutMs: number): string {
  switch (end.kind) {
    case 'code':
      return `exit ${end.code}`
    case 'signal':
      return `ended by ${end.signal}`
    case 'timed_out':
      return `stopped after its limit of ${describeDuration(timeoutMs)}`
    case 'interrupted':
      return 'stopped because the worker was told to stop'
    case 'not_started':
      return `not started: ${end.says}`
    default:
      return assertNever(end)
  }
}

const oneLine = (command: string): string => {
  const line = command.replace(/\s+/g, ' ').trim()
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`
}
