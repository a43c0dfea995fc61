import { parseDuration, parseSize, sizePattern } from '../index.ts'
import { durationPattern } from './shared-fields.ts'

const durationForm = new RegExp(durationPattern)
const sizeForm = new RegExp(sizePattern)

/**
 * Whether a text has the form of a duration or a size and says more than can be counted exactly (`999999999d`,
 * `99999999999TiB`). Taken for not given, it would mean the built-in value, which is far less. What has not even the form is
 * told by the shape.
 */
export function isBeyondCounting(text: unknown): text is string {
  if (typeof text !== 'string') return false
  return (
    (durationForm.test(text) && parseDuration(text) === undefined) ||
    (sizeForm.test(text) && parseSize(text) === undefined)
  )
}

/** What is said of it, after the path of the field. */
export const beyondCounting = (text: string): { readonly says: string; readonly fix: string } => ({
  says: `(${text}) is more than can be counted`,
  fix: 'write less',
})
