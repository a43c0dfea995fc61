import { createHash, timingSafeEqual } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Random } from '../../kernel/index.ts'
import { readToken, tokenPattern } from '../client/index.ts'

/**
 * The home's admin token, made at the first start (0600, written by rename so that half a token never exists).
 * A file that others could read or write, that is a link, or that holds anything else is refused
 * (`CLIENT_TOKEN_BROKEN`), because what it protects may be known already.
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

/**
 * Tells whether an `Authorization` header carries the token, in a time that does not depend on where it differs.
 * Without a proper token every answer is no: a hub that lost its token serves nobody (C157).
 */
export function createTokenCheck(token: string | undefined): (header: string | undefined) => boolean {
  if (token === undefined || !tokenPattern.test(token)) return () => false
  const expected = digest(token)
  return (header) => {
    const given = bearerOf(header)
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}

/** What stands in an `Authorization` header, whatever it is good for. */
export function bearerOf(header: string | undefined): string | undefined {
  const [, given] = /^Bearer ([^\s]+)$/i.exec(header ?? '') ?? []
  return given
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
