import Type, { type Static } from 'typebox'
import { Name } from '../../kernel/config/index.ts'
import { strictObject } from './not-yet.ts'
import type { TaskView } from './views.ts'

// What keeps a yard in order over years: archive, release, backup, export and import.

/** `children`: what becomes of the tasks that wait for this one; needed where there are any. */
export const ArchiveBody = Type.Object(
  { children: Type.Optional(Type.Enum(['release', 'wait', 'archive'])) },
  strictObject(),
)
export type ArchiveBody = Static<typeof ArchiveBody>

export interface ArchivedView {
  readonly task: TaskView
  /** Whom the choice concerned, further down included. */
  readonly children: readonly number[]
}

/** `run`: the open attempt that may still be alive. */
export const ReleaseBody = Type.Object({ run: Type.Integer({ minimum: 1 }) }, strictObject())
export type ReleaseBody = Static<typeof ReleaseBody>

/** `file`: absolute path on the hub's machine, of a file that is not there yet; without it, one in the home's `backups`. */
export const BackupBody = Type.Object(
  {
    file: Type.Optional(
      Type.String({ pattern: '^/[^\\u0000]*$', maxLength: 4096, description: 'an absolute path of a file' }),
    ),
  },
  strictObject(),
)
export type BackupBody = Static<typeof BackupBody>

export interface BackupView {
  readonly file: string
  readonly bytes: number
  readonly at: string
  readonly tasks: number
}

export const ExportQuery = Type.Object({ board: Name }, strictObject())
export type ExportQuery = Static<typeof ExportQuery>

/** `text`: an exported file as it is. `board`: its new name; without it the one that it had. */
export const ImportBody = Type.Object({ board: Type.Optional(Name), text: Type.String() }, strictObject())
export type ImportBody = Static<typeof ImportBody>

export interface ImportView {
  readonly board: string
  /** In the order of the file. */
  readonly tasks: readonly {
    /** Its number in the file. */
    readonly from: number
    readonly id: number
    readonly title: string
    readonly status: string
    /** Why it came as a draft although it was none; null where nothing changed. */
    readonly note: string | null
  }[]
}
