import { describeSize, formatTaskId } from '../../kernel/index.ts'
import type { Attachment, NewAttachment } from '../attachment.ts'
import type { Change } from '../change.ts'
import { boardError } from '../errors.ts'
import type { Work } from '../work.ts'
import { getTask } from './get-task.ts'
import { runAndTask, tellOfRun } from './tell-of-run.ts'

// What attempts and people leave besides words: changes of a repository, and files.

/** Once for each attempt; a second one, and one of an attempt that is settled, changes nothing. */
export function recordChange(work: Work, change: Change & { readonly fence: number }): void {
  if (work.store.insertChange(change) === 0) return
  const of = runAndTask(work, change.run)
  const { branch, headCommit, fileCount, insertions, deletions } = change
  const says = `attempt ${of.run.attempt} changed ${sayCounts(change)} on ${branch}`
  tellOfRun(work, of, 'run.changed', says, { branch, headCommit, fileCount, insertions, deletions })
}

function sayCounts({ fileCount, insertions, deletions }: Change): string {
  if (fileCount === 0) return 'nothing'
  return `${fileCount} file${fileCount === 1 ? '' : 's'} +${insertions} -${deletions}`
}

/** A file of a card; one of the same name from the same attempt, or from people, is replaced and keeps its id. */
export function addAttachment(work: Work, file: NewAttachment): Attachment {
  const { id, board, batch } = getTask(work, file.task)
  if (file.run !== null && work.store.readRun(file.run)?.task !== id)
    throw boardError('BOARD_NO_RUN', { run: file.run })
  const attachment = work.store.insertAttachment({ ...file, by: work.by, nowMs: work.nowMs })
  const text = `${formatTaskId(id)} got ${file.name} (${describeSize(file.bytes)}) from ${work.by}`
  const data = { attachment, name: file.name, bytes: file.bytes }
  work.tell({
    kind: 'task.attached',
    task: id,
    board,
    batch,
    text,
    data,
    ...(file.run === null ? {} : { run: file.run }),
  })
  return { ...file, id: attachment, by: work.by, atMs: work.nowMs }
}
