import { userInfo } from 'node:os'
import { type Client, connectHttp, readToken } from '../api/client/index.ts'
import { realPath, withDeadline, YardError } from '../kernel/index.ts'
import { readLockHolder } from '../kernel/process/index.ts'
import { composeHome } from './home.ts'
import type { FoundHub } from './hub-options.ts'

/** A hub is one loop that answers in milliseconds; one that takes this long is as good as none for a command. */
const answerWithinMs = 10_000

/**
 * The hub of a home, if one answers. Nothing is believed but its answer: a note may be stale, and its port may belong
 * to somebody else by now. Throws `CLIENT_TOKEN_BROKEN` where the token cannot be trusted.
 */
export async function findHub(path: string): Promise<FoundHub | undefined> {
  const home = composeHome(realPath(path))
  const note = readLockHolder(home.note)
  if (note === undefined || note.port === null) return undefined
  const token = readToken(home.token)
  if (token === undefined) return undefined
  const client = connectHttp({ port: note.port, token, by: userName() })
  return (await isHubOf(client, home.path)) ? { client, pid: note.pid, port: note.port } : undefined
}

async function isHubOf(client: Client, home: string): Promise<boolean> {
  try {
    const health = await withDeadline(client.health(), answerWithinMs, 'the answer of the hub')
    return health.home === home
  } catch (fault) {
    // Nobody there, somebody else's hub (our token is not its), or something that is no hub at all.
    if (fault instanceof YardError) return false
    throw fault
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
