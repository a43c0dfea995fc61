import type { Claim } from '../board/index.ts'
import type { LaunchInput } from './build-launch.ts'
import type { OpenRun } from './open-runs.ts'

/** A claimed attempt with the secret of its account, where it has one. */
export interface ReadyClaim {
  readonly claim: Claim
  readonly open: OpenRun
  readonly secret: LaunchInput['secret']
}
