import { userInfo } from 'node:os'
import { type Client, connectHttp, readToken } from '../api/client/index.ts'
import type { HealthView } from '../api/contract/index.ts'
import { realPath, systemClock, YardError } from '../kernel/index.ts'
import {
  captureFingerprint,
  compareFingerprint,
  type LockHolder,
  parseFingerprint,
  readHostIdentity,
  readLockHolder,
} from '../kernel/process/index.ts'
import { isElsewhere } from './elsewhere.ts'
import { mainError } from './errors.ts'
import { composeHome } from './home.ts'
import type { FoundHub } from './hub-options.ts'

/** A hub is one loop that answers in milliseconds; one that takes this long is as good as none for a command. */
const answersWithinMs = 10_000

/**
 * The hub of a home, if one answers. Nothing is believed but its answer: a note may be stale, and its port may belong
 * to somebody else by now; one of another machine's hub says nothing here. Throws `CLIENT_TOKEN_BROKEN` where the token
 * cannot be trusted, and `MAIN_HUB_SILENT` where the process of the note is there but does not answer.
 */
export async function findHub(path: string, withinMs = answersWithinMs): Promise<FoundHub | undefined> {
  const home = composeHome(realPath(path))
  const note = readLockHolder(home.note)
  if (note === undefined || note.port === null || isElsewhere(home, note)) return undefined
  const { pid, port } = note
  const token = readToken(home.token)
  if (token === undefined) return undefined
  const client = connectHttp({ port, token, by: userName() })
  const health = await healthOf(client, withinMs)
  if (health !== 'silent') return health?.home === home.path ? { client, pid, port } : undefined
  // Whoever holds the port of a hub that is gone is none of ours.
  if (isGone(note)) return undefined
  throw mainError('MAIN_HUB_SILENT', { pid, port, waitedMs: withinMs })
}

/** By the fingerprint of the note: its pid may be this very process by now, in a container that was started anew (C25). */
function isGone({ pid, fingerprint }: LockHolder): boolean {
  const host = readHostIdentity()
  if (captureFingerprint(host, pid) === undefined) return true
  const noted = parseFingerprint(fingerprint ?? '')
  return noted !== undefined && compareFingerprint(host, noted) === 'gone'
}

/** Undefined: nobody is there, or somebody else's hub (our token is not its), or something that is no hub at all. */
async function healthOf(client: Client, withinMs: number): Promise<HealthView | 'silent' | undefined> {
  const answer = client.health().catch((fault: unknown) => {
    if (fault instanceof YardError) return undefined
    throw fault
  })
  const over = new AbortController()
  try {
    return await Promise.race([answer, systemClock.sleep(withinMs, over.signal).then(() => 'silent' as const)])
  } finally {
    over.abort()
  }
}

/** Who acts from this machine, for the record. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return 'admin' // a uid without an entry, as in containers
  }
}
