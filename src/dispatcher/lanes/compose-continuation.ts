import type { Run } from '../../board/index.ts'
import { fenced, formatRunId, formatTaskId } from '../../kernel/index.ts'
import { filesPart, type PromptInput } from './compose-prompt.ts'

export interface ContinuationInput extends Pick<PromptInput, 'task' | 'attempt' | 'files'> {
  /** The attempt that it goes on from. */
  readonly before: Run
  /** All remarks on the card; those from before it ended are in the conversation already. */
  readonly comments: readonly { readonly atMs: number; readonly by: string; readonly text: string }[]
}

/** `prompt.md` of an attempt that goes on with a conversation: only what is new in it, above all the answer. */
export function composeContinuation({ task, attempt, before, comments, files }: ContinuationInput): string {
  const since = comments.filter(({ atMs }) => atMs >= (before.exitedAtMs ?? 0))
  const said = [before.call?.text ?? before.stop?.text ?? ''].filter((text) => text !== '')
  const parts = [
    `# ${formatTaskId(task.id)}: ${task.title}, attempt ${attempt}`,
    `You go on from where attempt ${formatRunId(before.id)} ended. ${sayEnd(before)}`,
    ...said.map(fenced),
    ...(since.length === 0
      ? ['Nobody has added anything since.']
      : [
          'What people have said since, the oldest first:',
          ...since.map(({ by, text }) => `${by}:\n\n${fenced(text)}`),
        ]),
    ...filesPart({ ...(files === undefined ? {} : { files }) }),
    'The folder is as that attempt left it, where nobody has changed it since. Look before you rely on it.',
  ]
  return `${parts.join('\n\n')}\n`
}

function sayEnd({ call, stop }: Run): string {
  if (call !== null) return 'It had asked:'
  return stop === null || stop.text === '' ? 'It was stopped.' : 'It was stopped, and told why:'
}
