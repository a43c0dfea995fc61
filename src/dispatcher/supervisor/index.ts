export type { WaitStatus } from '../../kernel/process/index.ts'
export type {
  Adopted,
  ExitFacts,
  Identity,
  Launched,
  LaunchOrder,
  RunLimits,
  RunRecord,
  Supervisor,
  SupervisorEvents,
  SupervisorOptions,
  TreeSample,
} from './contract.ts'
export { supervisorError } from './errors.ts'
export { createSupervisor } from './supervisor.ts'
