import { readSecret, type SecretRef } from '../kernel/config/index.ts'
import type { YardDeps } from './deps.ts'

/** The secret of a lane's account with where it came from, null where none is needed; or, in words, why there is none. */
export type LaneSecret =
  | { readonly ok: true; readonly secret: { readonly ref: SecretRef; readonly value: string } | null }
  | { readonly ok: false; readonly says: string }

type Deps = Pick<YardDeps, 'config' | 'env'>

export function needsSecret(deps: Deps, lane: string): boolean {
  const account = accountOf(deps, lane)
  return account !== undefined && account.key !== 'none'
}

/** Read at this moment, for this start; never stored. */
export async function readLaneSecret(deps: Deps, lane: string): Promise<LaneSecret> {
  const account = accountOf(deps, lane)
  if (account === undefined || account.key === 'none') return { ok: true, secret: null }
  const read = await readSecret(account.key, { env: deps.env })
  if (!read.ok) return { ok: false, says: `no key for account ${deps.config.lanes[lane]?.account}: ${read.says}` }
  return { ok: true, secret: read.value === null ? null : { ref: account.key, value: read.value } }
}

function accountOf({ config }: Deps, lane: string) {
  const name = config.lanes[lane]?.account ?? null
  return name === null ? undefined : config.accounts[name]
}
