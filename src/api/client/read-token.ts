import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { clientError } from './errors.ts'

/** 32 random bytes as hex; anything shorter in the file is a broken write, not a token. */
export const tokenPattern = /^[0-9a-f]{64}$/

/** The token in `file`; undefined where there is none. Throws `CLIENT_TOKEN_BROKEN` for a file that cannot be trusted. */
export function readToken(file: string): string | undefined {
  const descriptor = openTokenFile(file)
  if (descriptor === undefined) return undefined
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw clientError('CLIENT_TOKEN_BROKEN', { file, why: 'it is not a plain file' })
    const othersMay = stat.mode & 0o077
    if (othersMay !== 0) {
      const mode = (stat.mode & 0o777).toString(8)
      throw clientError('CLIENT_TOKEN_BROKEN', { file, why: `other users have rights on it (mode ${mode})` })
    }
    const text = readFileSync(descriptor, 'utf8').trim()
    if (!tokenPattern.test(text)) throw clientError('CLIENT_TOKEN_BROKEN', { file, why: 'it does not hold a token' })
    return text
  } finally {
    closeSync(descriptor)
  }
}

function openTokenFile(file: string): number | undefined {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw clientError(
      'CLIENT_TOKEN_BROKEN',
      { file, why: code === 'ELOOP' ? 'it is a link' : `reading it gives ${code}` },
      cause,
    )
  }
}
