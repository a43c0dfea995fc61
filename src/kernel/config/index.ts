export { isFields } from '../index.ts'
export { beyondCounting, isBeyondCounting } from './amounts.ts'
export { boardOfFolder } from './board-of-folder.ts'
export { readBudget, unpricedModels } from './chat-config.ts'
export { Budget } from './chat-fields.ts'
export { checkShape } from './check-shape.ts'
export { readCheck, readSetup, type WrittenCheck, type WrittenSetup } from './code-config.ts'
export {
  Check,
  Expect,
  MayChange,
  Repo,
  WorkspaceWord,
  worktreeFields,
} from './code-fields.ts'
export { ConfigSchema } from './config-schema.ts'
export { configError } from './errors.ts'
export { type Fault, formatFaults, formatPath, type Path } from './fault.ts'
export { configName } from './find-config.ts'
export { laneReadiness, missingOfLane } from './lane-readiness.ts'
export { loadYardConfig } from './load-config.ts'
export { resolveRepo } from './parse-board.ts'
export { defaultSlots, emptyConfig, parseConfig } from './parse-config.ts'
export { readText } from './read-text.ts'
export { readKey, readSecret } from './secret.ts'
export { Duration, ExitRule, Name, noNul, Size, strict } from './shared-fields.ts'
export { readYaml } from './yaml-text.ts'
export type {
  AccountConfig,
  BoardConfig,
  EditorSchemas,
  KeepConfig,
  LaneConfig,
  SecretRef,
  YardConfig,
} from './yard-config.ts'
