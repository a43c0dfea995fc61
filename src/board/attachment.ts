import type { RunId, TaskId } from '../kernel/index.ts'

/** What is said of a new one; it is kept in the name of whoever adds it. */
export type NewAttachment = Omit<Attachment, 'id' | 'by' | 'atMs'>

/** A file that belongs to a card: given by a person, or an artifact of an attempt. Its bytes lie in the attachment store. */
export interface Attachment {
  readonly id: number
  readonly task: TaskId
  /** Null: given by a person. */
  readonly run: RunId | null
  /** A file name without folders, unique among those of the card that come from the same run, or from people. */
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  /** Lower-case hex; also its name in the store. */
  readonly sha256: string
  readonly by: string
  readonly atMs: number
}
