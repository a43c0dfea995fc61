import type { Change, Run, Task } from '../../board/index.ts'
import { fenced, formatRunId, formatTaskId } from '../../kernel/index.ts'

/** What the prompt of a reviewer is made of. Texts of others are data: fenced. */
export interface ReviewInput {
  readonly task: Task
  /** What the author was to do: prompt or command. */
  readonly text: string
  /** The author's attempt. */
  readonly author: Run | undefined
  readonly change: Change | undefined
  readonly comments: readonly { readonly by: string; readonly text: string }[]
}

/** Characters of a text of somebody else: more of it is left out, and said. */
const mostCharacters = 65_536
const mostFiles = 200
const mostComments = 50

/** The text that a reviewer works from: what was to be done, what came of it, where to look, and how to answer. */
export function composeReview({ task, text, author, change, comments }: ReviewInput): string {
  const said = author?.result ?? author?.outputTail ?? ''
  const parts = [
    `# Review of ${formatTaskId(task.id)}: ${task.title}`,
    'Somebody has done the task below. Say whether it is done well. Do not change anything: what you change is taken back.',
    '## What was to be done',
    fenced(cut(text)),
    ...(author === undefined ? [] : ['## What came of it', `${formatRunId(author.id)}: ${author.reason ?? ''}`]),
    ...(said === '' ? [] : [fenced(cut(said))]),
    ...(change === undefined ? [] : changePart(change)),
    ...(comments.length === 0 ? [] : ['## Remarks', ...comments.slice(-mostComments).map(sayComment)]),
    '## How to answer',
    'Say what must change, if anything. Then end your answer with one line of its own: `verdict: approve` or `verdict: reject`. Without that line your review does not count.',
  ]
  return `${parts.join('\n\n')}\n`
}

function changePart({ baseCommit, headCommit, branch, fileCount, insertions, deletions, files }: Change): string[] {
  const range = `${baseCommit}..${headCommit}`
  const more = fileCount > mostFiles ? `\n… and ${fileCount - mostFiles} more` : ''
  return [
    '## What was changed',
    `You are in its worktree, branch ${branch}: ${fileCount} ${fileCount === 1 ? 'file' : 'files'}, +${insertions} -${deletions}. See it with \`git diff ${range}\`.`,
    ...(files.length === 0
      ? []
      : [
          fenced(
            files
              .slice(0, mostFiles)
              .map(({ path }) => path)
              .join('\n') + more,
          ),
        ]),
  ]
}

const sayComment = ({ by, text }: { readonly by: string; readonly text: string }) => `${by}:\n\n${fenced(cut(text))}`

function cut(text: string): string {
  const left = text.length - mostCharacters
  return left > 0 ? `${text.slice(0, mostCharacters)}\n… ${left} more characters are left out here` : text
}
