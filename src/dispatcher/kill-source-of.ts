import type { StopKind } from '../board/index.ts'
import type { KillSource } from './supervisor/index.ts'

const killSources: Readonly<Record<StopKind, KillSource>> = {
  cancel: 'person',
  stop: 'person',
  timeout: 'limit',
  stall: 'limit',
  memory: 'limit',
  budget: 'limit',
  batch_time: 'batch',
  shutdown: 'shutdown',
  drain: 'restart',
  replace: 'restart',
  linger: 'linger',
}

/** Under which policy a stop of this kind ends processes; see `killPolicy` for what each means for kept ones. */
export const killSourceOf = (kind: StopKind): KillSource => killSources[kind]
