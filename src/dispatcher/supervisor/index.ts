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
  WaitStatus,
} from './contract.ts'
