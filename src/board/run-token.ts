import { hash, timingSafeEqual } from 'node:crypto'
import { formatRunId, type Random, type RunId, runId } from '../kernel/index.ts'

/** What every token of a run begins with; the mask for secrets knows it. */
export const runTokenPrefix = 'ymr_'

const secretBytes = 32
/** `ymr_R981_` and 32 bytes as base64url. */
const tokenPattern = /^ymr_R([1-9][0-9]{0,14})_([A-Za-z0-9_-]{43})$/

/** The secret part of a new token, made before its run has a number. */
export interface TokenSecret {
  readonly text: string
  /** What the board keeps: SHA-256 of `text`, hex. The secret is random, so no salt and no slow hash are wanted. */
  readonly hash: string
}

export function makeTokenSecret(random: Random): TokenSecret {
  const text = Buffer.from(random.hex(secretBytes), 'hex').toString('base64url')
  return { text, hash: hashOf(text) }
}

/** The token as its run gets it, once. */
export const formatRunToken = (run: RunId, { text }: TokenSecret): string =>
  `${runTokenPrefix}${formatRunId(run)}_${text}`

/** The run that a token names, and its secret part; undefined for anything else. Proves nothing yet. */
export function parseRunToken(token: string): { readonly run: RunId; readonly secret: string } | undefined {
  const [, run, secret] = tokenPattern.exec(token) ?? []
  return run === undefined || secret === undefined ? undefined : { run: runId(Number(run)), secret }
}

/** Whether a secret part is the one that was kept, in a time that does not depend on where they differ. */
export function isKeptSecret(secret: string, keptHash: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(secret), 'hex'), Buffer.from(keptHash, 'hex'))
}

const hashOf = (text: string): string => hash('sha256', text)
