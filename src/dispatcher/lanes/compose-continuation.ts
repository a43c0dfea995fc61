import type { Run } from '../../board/index.ts'
import { fenced, formatRunId, formatTaskId } from '../../kernel/index.ts'
import { filesPart, type PromptInput } from './compose-prompt.ts'

export interface ContinuationInput extends Pick<PromptInput, 'task' | 'attempt' | 'files'> {
  /** The attempt that it goes on from. */
  readonly before: Run
  /** All remarks on the card. */
  readonly comments: readonly { readonly atMs: number; readonly by: string; readonly text: string }[]
  /** Whether a text stands in the conversation already: a remark may have come too late for it. */
  readonly wasHeard: (text: string) => boolean
}

/** `prompt.md` of an attempt that goes on with a conversation: only what is new in it, above all the answer. */
export function composeContinuation(input: ContinuationInput): string {
  const { task, attempt, before, files } = input
  const since = newComments(input)
  const said = [askedBy(before) ?? before.stop?.text ?? ''].filter((text) => text !== '')
  const parts = [
    `# ${formatTaskId(task.id)}: ${task.title}, attempt ${attempt}`,
    `You go on from where attempt ${formatRunId(before.id)} ended. ${sayEnd(before)}`,
    ...said.map(fenced),
    ...(since.length === 0
      ? ['Nobody has added anything since.']
      : [
          'What people have said that you do not know yet, the oldest first:',
          ...since.map(({ by, text }) => `${by}:\n\n${fenced(text)}`),
        ]),
    ...filesPart({ ...(files === undefined ? {} : { files }) }),
    'The folder is as that attempt left it, where nobody has changed it since. Look before you rely on it.',
  ]
  return `${parts.join('\n\n')}\n`
}

/** What came before it was claimed is in its prompt; what came while it worked it was told, if there was still time. */
function newComments({ before, comments, wasHeard }: ContinuationInput): ContinuationInput['comments'] {
  const { claimedAtMs, exitedAtMs } = before
  const own = formatRunId(before.id)
  return comments.filter(
    ({ atMs, by, text }) =>
      by !== own && (atMs >= (exitedAtMs ?? 0) || (atMs >= claimedAtMs && !wasHeard(fenced(text)))),
  )
}

/** By a call, or in its report where the board could not be reached. */
const askedBy = ({ call, outcome, reason }: Run): string | null | undefined =>
  call?.text ?? (outcome === 'blocked' ? reason : undefined)

function sayEnd(before: Run): string {
  const { stop } = before
  if (askedBy(before) !== undefined) return 'It had asked:'
  return stop === null || stop.text === '' ? 'It was stopped.' : 'It was stopped, and told why:'
}
