import { parseDuration } from '../../kernel/index.ts'
import { badRequest } from './bad-request.ts'

/** Milliseconds of a duration whose shape was checked already. Throws `API_BAD_REQUEST` for more than can be counted. */
export function durationMs(text: string, path: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0) return ms
  throw badRequest({
    path,
    says: `says ${text}, which is no usable time`,
    fix: 'write a duration such as 30s, 20m or 5h',
  })
}
