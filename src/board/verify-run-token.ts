import type { TokenHolder } from './run-calls.ts'
import { isKeptSecret, parseRunToken } from './run-token.ts'
import type { Work } from './work.ts'

/**
 * Who holds this token, or undefined. A run that is over is answered too, so that what it still asks for can be told and
 * kept; its phase says that it may not speak any more.
 */
export function verifyRunToken({ store }: Pick<Work, 'store'>, token: string): TokenHolder | undefined {
  const named = parseRunToken(token)
  const kept = named === undefined ? undefined : store.tokenOfRun(named.run)
  if (named === undefined || kept === undefined || kept.tokenHash === null) return undefined
  const { tokenHash, ...holder } = kept
  return isKeptSecret(named.secret, tokenHash) ? holder : undefined
}
