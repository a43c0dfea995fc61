import type { SecretRef } from '../kernel/config/index.ts'
import type { YardDeps } from './deps.ts'

/**
 * Values of the hub's own environment that are keys of accounts or secrets of lanes: no pattern of `pass_env` takes them along,
 * under whatever name they stand there. Who needs one names it, or the account.
 */
export function keptBack({ config, env }: Pick<YardDeps, 'config' | 'env'>): readonly string[] {
  const places = [
    ...Object.values(config.accounts).map(({ key }) => key),
    ...Object.values(config.lanes).flatMap(({ secretEnv }) => Object.values(secretEnv)),
  ]
  const values = namesIn(places).map((name) => env[name]?.trim())
  return values.filter((value): value is string => value !== undefined && value !== '')
}

/** The variables that these places read. */
export const namesIn = (places: readonly SecretRef[]): readonly string[] =>
  places.flatMap((place) => (place !== 'none' && 'env' in place ? [place.env] : []))
