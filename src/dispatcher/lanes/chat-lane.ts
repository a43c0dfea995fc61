import { formatTaskId } from '../../kernel/index.ts'
import { chatSettingsFile, formatChatSettings, reservedReport } from '../../runs/index.ts'
import { buildChatSettings } from './chat-plan.ts'
import { fillPrompt } from './fill-arguments.ts'
import { type BuiltLaunch, type LaunchContext, promptFile, reportFile } from './lane-launch.ts'

/**
 * How the `chat` lane starts our own agent: with a sentence, and the task's text and its settings in files. The key travels
 * through a pipe (`formatHandover`): arguments can be read by every user of the machine, and an environment by all that it starts.
 */
export function buildChatLaunch(context: LaunchContext): BuiltLaunch {
  const { plan, spec, runDir, runName, fence, self, task, keyless, lastReason, goOn } = context
  if (plan.chat === null || plan.chat.models.length === 0) {
    return { ok: false, says: `lane ${plan.lane} names no model` }
  }
  const argv = [
    ...self,
    'chat',
    '-q',
    `Work on task ${formatTaskId(task.id)}, described in the prompt file.`,
    '--prompt-file',
    `${runDir}/${promptFile}`,
    '--report',
    `${runDir}/${reportFile}`,
    '--run',
    runName,
    '--fence',
    String(fence),
    '--settings',
    `${runDir}/${chatSettingsFile}`,
  ]
  const filled = fillPrompt(spec.prompt ?? '', context)
  const before = goOn?.(filled)
  const text = before?.prompt ?? context.composePrompt(filled)
  const settings = formatChatSettings(
    buildChatSettings(plan, plan.chat, {
      keyless,
      lastReason: lastReason?.() ?? null,
      continues: before?.transcript ?? null,
    }),
  )
  const files = [
    { name: promptFile, text },
    { name: chatSettingsFile, text: settings },
    { name: `${reportFile}${reservedReport.suffix}`, text: reservedReport.text },
  ]
  return { ok: true, launch: { argv, files } }
}
