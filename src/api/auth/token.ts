import { createHash, timingSafeEqual } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Random } from '../../kernel/index.ts'
import { apiError } from '../errors.ts'

/** 32 random bytes as hex; anything shorter in the file is a broken write, not a token. */
const tokenPattern = /^[0-9a-f]{64}$/

/**
 * The home's admin token, made at the first start (0600, written by rename so that half a token never exists).
 * A file that others could read or write, that is a link, or that holds anything else is refused
 * (`API_TOKEN_BROKEN`), because what it protects may be known already.
 */
export function readOrMakeToken({ random }: { readonly random: Random }, { file }: { readonly file: string }): string {
  const token = readToken(file)
  if (token !== undefined) return token
  const made = random.hex(32)
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, `${made}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(draft, file)
  return made
}

/** The token in `file`; undefined where there is none. Throws `API_TOKEN_BROKEN` for a file that cannot be trusted. */
export function readToken(file: string): string | undefined {
  const descriptor = openTokenFile(file)
  if (descriptor === undefined) return undefined
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw apiError('API_TOKEN_BROKEN', { file, why: 'it is not a plain file' })
    const othersMay = stat.mode & 0o077
    if (othersMay !== 0) {
      const mode = (stat.mode & 0o777).toString(8)
      throw apiError('API_TOKEN_BROKEN', { file, why: `other users have rights on it (mode ${mode})` })
    }
    const text = readFileSync(descriptor, 'utf8').trim()
    if (!tokenPattern.test(text)) throw apiError('API_TOKEN_BROKEN', { file, why: 'it does not hold a token' })
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
    throw apiError(
      'API_TOKEN_BROKEN',
      { file, why: code === 'ELOOP' ? 'it is a link' : `reading it gives ${code}` },
      cause,
    )
  }
}

/**
 * Tells whether an `Authorization` header carries the token, in a time that does not depend on where it differs.
 * Without a proper token every answer is no: a hub that lost its token serves nobody (C157).
 */
export function createTokenCheck(token: string | undefined): (header: string | undefined) => boolean {
  if (token === undefined || !tokenPattern.test(token)) return () => false
  const expected = digest(token)
  return (header) => {
    const [, given] = /^Bearer ([^\s]+)$/i.exec(header ?? '') ?? []
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
