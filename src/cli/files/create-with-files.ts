import type { Client } from '../../api/client/index.ts'
import type { AttachmentView, CreatedTaskView, NewTaskBody } from '../../api/contract/index.ts'
import type { CliDeps } from '../command.ts'
import type { LocalFile } from './local-file.ts'

export interface CreatedWithFiles extends CreatedTaskView {
  /** Absent where none were to be given with it. */
  readonly attachments?: readonly AttachmentView[]
}

/**
 * Makes a card and gives files with it. It may start only when all of them are there: until then it is a draft, and where one
 * is refused it stays one, which is said. With a card that exists already nothing is done.
 */
export async function createWithFiles(
  { client, err }: { readonly client: Client; readonly err: CliDeps['err'] },
  { body, files }: { readonly body: NewTaskBody; readonly files: readonly LocalFile[] },
): Promise<CreatedWithFiles> {
  if (files.length === 0) return client.createTask(body)
  const made = await client.createTask({ ...body, draft: true })
  if (!made.created) return made
  const { id } = made.task
  const attachments: AttachmentView[] = []
  try {
    for (const file of files) attachments.push(await client.attach(id, file.name, file.open()))
  } catch (fault) {
    err.write(`T${id} is a draft and lacks files: yardmaster attach T${id} FILE…, then yardmaster ready T${id}\n`)
    throw fault
  }
  return { ...made, task: body.draft ? made.task : await client.act(id, 'ready'), attachments }
}
