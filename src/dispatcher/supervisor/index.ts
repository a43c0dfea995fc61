export type { KillSource, WaitStatus } from '../../kernel/process/index.ts'
export { findEngines, type LabelledContainer, listLabelled, removeContainer } from './containers.ts'
export type {
  Adopted,
  ExitFacts,
  LaunchOrder,
  OverdueKind,
  RunLimits,
  RunRecord,
  Supervisor,
  SupervisorEvents,
  TreeSample,
} from './contract.ts'
export { type Authority, adviseOnOrphans, describeAuthority } from './describe-authority.ts'
export { findOriginalHome } from './original-home.ts'
export { nothingSeen } from './read-exit.ts'
export { findDeathSignal } from './spawn-shim.ts'
export { createSupervisor } from './supervisor.ts'
