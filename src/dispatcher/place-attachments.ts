import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attachment, Board } from '../board/index.ts'
import { makeFolder, type TaskId } from '../kernel/index.ts'
import { copyAttachment } from '../runs/index.ts'

/** A file of the card as an attempt finds it. */
export interface GivenFile {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly bytes: number
}

/** Where the files of an attempt lie; `YARDMASTER_ATTACHMENTS` where it has any. */
export const givenFolder = (runDir: string): string => join(runDir, 'attachments')

/**
 * What people have given with a card and an attempt in that run directory has got, as it is told of it: what came after the
 * files were placed, while its worktree or its setup was made, is for the next one.
 */
export function givenFiles(
  { board }: { readonly board: Pick<Board, 'attachmentsOf'> },
  { task, runDir }: { readonly task: TaskId; readonly runDir: string },
): readonly GivenFile[] {
  return fromPeople(board.attachmentsOf(task))
    .map((file) => placeOf(runDir, file))
    .flatMap((file) => {
      const bytes = statSync(file.path, { throwIfNoEntry: false })?.size
      return bytes === undefined ? [] : [{ ...file, bytes }]
    })
}

/**
 * Gives an attempt the files of its card before anything of it runs: each as a copy of its own that it may read, so that
 * nothing that it does reaches those that others have (C93). May be asked again after a kill in the middle; then all are
 * put there anew. Throws `RUNS_ATTACHMENT_GONE`, and the system's error, where a later try may find more room.
 */
export async function placeAttachments(
  { board, home }: { readonly board: Pick<Board, 'attachmentsOf'>; readonly home: string },
  { task, runDir }: { readonly task: TaskId; readonly runDir: string },
): Promise<readonly GivenFile[]> {
  const files = fromPeople(board.attachmentsOf(task))
  if (files.length === 0) return []
  const folder = givenFolder(runDir)
  await rm(folder, { recursive: true, force: true })
  makeFolder(folder, 0o700)
  for (const { sha256, name } of files) await copyAttachment(home, { sha256, name, to: join(folder, name) })
  return files.map((file) => placeOf(runDir, file))
}

const fromPeople = (files: readonly Attachment[]): readonly Attachment[] => files.filter(({ run }) => run === null)

const placeOf = (runDir: string, { name, bytes }: Attachment): GivenFile => ({
  name,
  path: join(givenFolder(runDir), name),
  bytes,
})
