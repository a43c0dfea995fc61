import type { Claim } from '../board/index.ts'
import type { OpenRun } from './open-runs.ts'
import type { RunSecrets } from './read-secret.ts'

/** A claimed attempt with its secrets. */
export interface ReadyClaim {
  readonly claim: Claim
  readonly open: OpenRun
  readonly secrets: RunSecrets
}
