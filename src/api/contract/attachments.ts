import Type, { type Static } from 'typebox'
import { strictObject } from './not-yet.ts'

/** What the bytes that are sent are to be called: a file name without folders, see `sayNameFault`. */
export const AttachQuery = Type.Object({ name: Type.String() }, strictObject())
export type AttachQuery = Static<typeof AttachQuery>

/** A file of a card. */
export interface AttachmentView {
  readonly id: number
  readonly task: number
  /** The attempt that handed it back; null: a person gave it. */
  readonly run: number | null
  /** Unique among those that the same attempt, or people, have left on the card. */
  readonly name: string
  /** What its name says it is. It is sent as that, except for kinds that a browser would act on. */
  readonly media_type: string
  readonly bytes: number
  /** Of its bytes, lower-case hex. */
  readonly sha256: string
  readonly by: string
  readonly at: string
}
