export { mostAttachmentBytes } from './attachment-limit.ts'
export { backoffMs, jitter } from './backoff.ts'
export { briefly, longestBrief } from './briefly.ts'
export type { ChatLaneConfig } from './chat-lane.ts'
export {
  allGrants,
  builtInBaseUrl,
  builtInTokens,
  chatApis,
  chatSandboxes,
  type Grant,
  type ModelPrice,
  reasoningWords,
  toolNames,
} from './chat-words.ts'
export { chooseLane, type LaneChoice } from './choose-lane.ts'
export { type Clock, longestTimerMs, systemClock } from './clock.ts'
export { stepClockFrom } from './clock-step.ts'
export { countPattern, formatCount, parseCount } from './count.ts'
export { armCrashPoint, type CrashPoint, crashPoint, crashPoints } from './crash-points.ts'
export { cutAtWord } from './cut-at-word.ts'
export { describeDuration, formatDuration, parseDuration } from './duration.ts'
export { assertNever, defineErrors, type ErrorRow, isYardError, YardError } from './errors.ts'
export { fenced, longestTicks } from './fence.ts'
export { makeFileName, sayNameFault } from './file-name.ts'
export { findCycle } from './find-cycle.ts'
export { whyNoRef } from './git-ref.ts'
export {
  type BatchId,
  batchId,
  formatBatchId,
  formatRunId,
  formatTaskId,
  namePattern,
  parseId,
  type RunId,
  runId,
  type TaskId,
  taskId,
} from './ids.ts'
export { isCi } from './is-ci.ts'
export { isDeeperThan } from './is-deeper-than.ts'
export { isFields } from './is-fields.ts'
export { builtInLogBytes, leastLogBytes } from './log-limit.ts'
export { createLogMask, type LogMask } from './log-mask.ts'
export { makeFolder } from './make-folder.ts'
export { leastMemoryBytes } from './memory-limit.ts'
export { nameSome } from './name-some.ts'
export { nearestName, suggestName } from './nearest-name.ts'
export { refusesPath, saySystemFault } from './path-refusal.ts'
export { placeFile, syncToDisk } from './place-file.ts'
export {
  fillPlaceholders,
  findPlaceholders,
  needPlaceholders,
  type Placeholder,
  refPlaceholders,
  splitNeed,
  taskPlaceholders,
  unescapePlaceholders,
} from './placeholders.ts'
export { type Random, systemRandom } from './random.ts'
export { realPath } from './real-path.ts'
export {
  createRedactor,
  createValueMask,
  encodingsOf,
  maskJson,
  type Redactor,
  shortestSecretChars,
} from './redaction.ts'
export { removeTree } from './remove-tree.ts'
export { readRepoAddress } from './repo-address.ts'
export { isOurs, sayActor } from './say-actor.ts'
export { sayClock, sayClockAndWait, sayMoment, saySecond, sayWait } from './say-time.ts'
export { isSecretName } from './secret-name.ts'
export { maskSecretShapes, maskText } from './secret-shapes.ts'
export { type Service, stopAll } from './service.ts'
export { shellWord } from './shell-word.ts'
export { isShortage } from './shortage.ts'
export { describeSize, formatSize, parseSize, sizePattern } from './size.ts'
export { statusWords } from './status-words.ts'
