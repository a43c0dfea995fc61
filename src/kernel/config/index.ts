export { checkShape, isFields, notYetKeyword, type ShapeFault, secretKeyword } from './check-shape.ts'
export { ConfigSchema } from './config-schema.ts'
export { configError } from './errors.ts'
export { type Fault, formatFaults, formatPath, type Path } from './fault.ts'
export { type ConfigSearch, configName, findConfig } from './find-config.ts'
export { type LaneReadiness, laneReadiness } from './lane-readiness.ts'
export { loadYardConfig } from './load-config.ts'
export { defaultSlots, emptyConfig, parseConfig } from './parse-config.ts'
export { readText } from './read-text.ts'
export { readSecret, type Secret } from './secret.ts'
export { readYaml, type YamlText } from './yaml-text.ts'
export type {
  AccountConfig,
  BoardConfig,
  EditorSchemas,
  ExitRuleConfig,
  LaneConfig,
  SecretRef,
  YardConfig,
} from './yard-config.ts'
