import type { Board, TokenHolder } from '../../board/index.ts'
import { runTokenPrefix } from '../../board/index.ts'
import { apiBase, runCalls, taskVerbs } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { bearerOf, createTokenCheck } from './token.ts'

/** Who calls: whoever has the home's token, or an attempt with its own. */
export type Caller = { readonly kind: 'admin' } | { readonly kind: 'run'; readonly holder: TokenHolder }

export interface Asked {
  readonly authorization: string | undefined
  readonly method: string
  /** Without its query, as it was sent. */
  readonly path: string
}

const openToRuns: ReadonlySet<string> = new Set(runCalls.map((call) => call.replace(' ', ` ${apiBase}`)))

/**
 * Lets a request in, or throws: `API_NO_TOKEN` without a valid token of the home, `API_BAD_RUN_TOKEN` for one that only
 * looks like an attempt's, `API_NOT_FOR_RUNS` for anything that is not on the short list of what an attempt may call. What
 * a later route brings is closed to attempts until it is on that list. What an open attempt asks for beside it, as to approve
 * its own work, stands on its task as a refusal (C118).
 */
export function createAdmission(
  { board }: { readonly board: Pick<Board, 'verifyToken' | 'recordRefusal'> },
  token: string | undefined,
): (asked: Asked) => Caller {
  const isAdmin = createTokenCheck(token)
  return ({ authorization, method, path }) => {
    const given = token === undefined ? undefined : bearerOf(authorization)
    if (given?.startsWith(runTokenPrefix)) {
      const holder = board.verifyToken(given)
      if (holder === undefined) throw apiError('API_BAD_RUN_TOKEN', {})
      if (openToRuns.has(`${method} ${path}`)) return { kind: 'run', holder }
      board.recordRefusal(holder, { act: nameRequest(method, path), why: 'that is not open to an attempt' })
      throw apiError('API_NOT_FOR_RUNS', { method, path: path.slice(0, 200), run: holder.run })
    }
    if (!isAdmin(authorization)) throw apiError('API_NO_TOKEN', {})
    return { kind: 'admin' }
  }
}

const actOnTask = new RegExp(`^${apiBase}/tasks/T?[0-9]{1,15}/(?:${taskVerbs.join('|')})$`)

/** For the record. Only what we know is repeated: the rest of an address may hold whatever its caller was given. */
const nameRequest = (method: string, path: string): string =>
  actOnTask.test(path) ? `${method} ${path}` : `${method} to another address`
