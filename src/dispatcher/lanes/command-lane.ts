import { longestArgumentBytes } from '../../kernel/process/index.ts'
import { fillArguments, fillPrompt } from './fill-arguments.ts'
import { type BuiltLaunch, type LaunchContext, promptFile } from './lane-launch.ts'
import { argumentBytes } from './system-limits.ts'

/** Options of bash for text: stop at the first failing command, an unset variable or a broken pipe (files-and-cli section 2). */
const bash = ['bash', '-euo', 'pipefail'] as const
const scriptFile = 'command.sh'

/**
 * How a `command` lane starts a task. Text goes to bash as one argument, or as a file where the system would refuse the
 * argument; it is never touched, so no value becomes shell code. A list is started as it is, without a shell. A prompt
 * is given to the lane's own `command` as a file.
 */
export function buildCommandLaunch(context: LaunchContext): BuiltLaunch {
  const { spec, plan } = context
  if (spec.run === undefined) {
    if (plan.command === null) return { ok: false, says: `lane ${plan.lane} has no command for prompts` }
    const files = [{ name: promptFile, text: context.composePrompt(fillPrompt(spec.prompt ?? '', context)) }]
    return fromList(plan.command, files, context)
  }
  return typeof spec.run === 'string' ? fromText(spec.run, context) : fromList(spec.run, [], context)
}

function fromText(text: string, { runDir }: LaunchContext): BuiltLaunch {
  if (argumentBytes(text) <= longestArgumentBytes) {
    return { ok: true, launch: { argv: [...bash, '-c', text], files: [] } }
  }
  const files = [{ name: scriptFile, text }]
  return { ok: true, launch: { argv: [...bash, `${runDir}/${scriptFile}`], files } }
}

function fromList(
  list: readonly string[],
  files: readonly { name: string; text: string }[],
  context: LaunchContext,
): BuiltLaunch {
  const filled = fillArguments(list, context)
  if (!filled.ok) return filled
  return { ok: true, launch: { argv: filled.argv, files } }
}
