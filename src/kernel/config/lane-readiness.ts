import { existsSync } from 'node:fs'
import { readKey } from './secret.ts'
import type { LaneConfig, YardConfig } from './yard-config.ts'

export interface LaneReadiness {
  readonly name: string
  readonly uses: LaneConfig['uses']
  /** A task of it could start now, as far as can be known without starting one. */
  readonly ready: boolean
  /** `ready`, or what is missing and where it would come from. */
  readonly says: string
}

/** Each lane of the yard: whether it could work, else what is missing. A missing secret is found here, not at load. */
export async function laneReadiness(
  { lanes, accounts }: Pick<YardConfig, 'lanes' | 'accounts'>,
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly LaneReadiness[]> {
  return await Promise.all(
    Object.entries(lanes).map(async ([name, lane]) => {
      const missing = await missingOf(name, lane, { accounts, env })
      return { name, uses: lane.uses, ready: missing === undefined, says: missing ?? 'ready' }
    }),
  )
}

/** What the lane itself lacks before it could start anything, in words; its program and its key are looked for elsewhere. */
export function missingOfLane(name: string, lane: Pick<LaneConfig, 'uses' | 'model' | 'system'>): string | undefined {
  if (lane.uses === 'chat' && lane.model === null) return `no model: write lanes.${name}.model in yardmaster.yaml`
  return lane.system === null || existsSync(lane.system) ? undefined : `no system prompt: ${lane.system} is missing`
}

async function missingOf(
  name: string,
  lane: LaneConfig,
  yard: Pick<YardConfig, 'accounts'> & { readonly env: Readonly<Record<string, string | undefined>> },
): Promise<string | undefined> {
  const missing = missingOfLane(name, lane)
  if (missing !== undefined || lane.account === null) return missing
  const account = yard.accounts[lane.account]
  const secret = account === undefined ? undefined : await readKey(account.key, yard)
  return secret === undefined || secret.ok ? undefined : `no key for account ${lane.account}: ${secret.says}`
}
