import { readKey, readSecret, type SecretRef } from '../kernel/config/index.ts'
import type { YardDeps } from './deps.ts'
import type { RunPlan } from './run-plan.ts'

/** What an attempt is given that nobody else may see. Values live in memory only, from the claim to the launch. */
export interface RunSecrets {
  /** The key of its lane's account with where it came from; null: none is needed. */
  readonly key: { readonly ref: SecretRef; readonly value: string } | null
  /** Variables whose values are secrets, of its lane alone. */
  readonly env: Readonly<Record<string, string>>
}

export const noSecrets: RunSecrets = { key: null, env: {} }

/** The secrets of an attempt; or, in words that hold none of them, why one cannot be had. */
export type ReadSecrets =
  | { readonly ok: true; readonly secrets: RunSecrets }
  | { readonly ok: false; readonly says: string }

type Deps = Pick<YardDeps, 'config' | 'env'>
/** What decides them: as it was stored at the claim, or as the configuration says it now. */
type Places = Pick<RunPlan, 'account' | 'secretEnv'>

export function needsSecrets(deps: Deps, { account, secretEnv }: Places): boolean {
  const key = accountOf(deps, account)?.key ?? 'none'
  return key !== 'none' || Object.keys(secretEnv).length > 0
}

/** Those with the same answer together: a key's command is asked once for all of them. */
export function groupBySecrets<One extends { readonly open: { readonly plan: Places } }>(
  ones: readonly One[],
): readonly (readonly [One, ...One[]])[] {
  const groups = new Map<string, [One, ...One[]]>()
  for (const one of ones) {
    const { account, secretEnv } = one.open.plan
    const key = JSON.stringify([account, secretEnv])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return [...groups.values()]
}

/** Read at this moment, for this start; never stored. */
export async function readSecrets(deps: Deps, { account, secretEnv }: Places): Promise<ReadSecrets> {
  const ref = accountOf(deps, account)?.key ?? 'none'
  const key = await readKey(ref, { env: deps.env })
  if (!key.ok) return { ok: false, says: `no key for account ${account}: ${key.says}` }
  const env: Record<string, string> = {}
  for (const [name, place] of Object.entries(secretEnv)) {
    const read = await readSecret(place, { env: deps.env })
    if (!read.ok) return { ok: false, says: `no value for ${name}: ${read.says}` }
    env[name] = read.value ?? ''
  }
  return { ok: true, secrets: { key: key.value === null ? null : { ref, value: key.value }, env } }
}

/** Of a lane by the configuration of now. */
export async function readLaneSecrets(deps: Deps, lane: string): Promise<ReadSecrets> {
  const { account = null, secretEnv = {} } = deps.config.lanes[lane] ?? {}
  return await readSecrets(deps, { account, secretEnv })
}

function accountOf({ config }: Deps, name: string | null) {
  return name === null ? undefined : config.accounts[name]
}
