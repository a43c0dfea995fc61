import type { ProviderFault } from './faults/fault.ts'

/** The models that a worker may ask, in order. One value for all its calls: who has moved on does not go back. */
export interface ModelLine {
  readonly models: readonly string[]
  /** The one that is asked. */
  at: number
}

/** A line of models. Names that come twice are asked once. */
export function lineUp(models: readonly string[]): ModelLine {
  return { models: [...new Set(models)], at: 0 }
}

/**
 * Whether another model could answer where this one did not: it is not there, or it stays without room after all repeats.
 * Never for what the account is refused, money, keys and its own rate: the next model would meet the same.
 */
export function isAboutModel({ reason }: ProviderFault): boolean {
  return reason === 'model_not_found' || reason === 'overloaded' || reason === 'upstream_rate_limit'
}
