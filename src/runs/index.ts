export { readAgentsFile, sayAgentsFile } from './agents-file.ts'
export {
  type BadArtifact,
  collectArtifacts,
  type DeclaredArtifact,
  type StoredArtifact,
  sayBadArtifacts,
} from './attachments/collect-artifacts.ts'
export { copyAttachment } from './attachments/copy-attachment.ts'
export {
  keptAttachments,
  sweepUnfinished,
} from './attachments/kept-attachments.ts'
export { findMediaType } from './attachments/media-type.ts'
export { openAttachment, removeAttachment } from './attachments/open-attachment.ts'
export { storeFile, storePatch } from './attachments/store-file.ts'
export { storeStream } from './attachments/store-stream.ts'
export { buildChatPlan, builtInChatPlan, type ChatPlan } from './chat-plan.ts'
export { type ChatSettings, chatSettingsFile, formatChatSettings } from './chat-settings.ts'
export type { Mask } from './clean-log.ts'
export { describeGap } from './describe-gap.ts'
export { type ExitRecord, readExitRecord } from './exit-record.ts'
export { readFoldedTail, readLastLine } from './folded-tail.ts'
export { formatHandover, type Handover, mostHandoverBytes, parseHandover } from './handover.ts'
export { writeHubFile } from './hub-file.ts'
export { decodeBytes, restOfCharacter, unfinishedBytes } from './log-bytes.ts'
export { divideLogLimit, roundToBlock } from './log-limit.ts'
export { type LogPart, readLogParts, writeLogParts } from './log-parts.ts'
export { type LogView, type Stretch, viewLog } from './log-view.ts'
export { lookAtTranscript, type TranscriptLook, transcriptFile } from './look-at-transcript.ts'
export { openRunFile, withRunDirectory } from './open-run-file.ts'
export { type ParsedChatSettings, parseChatSettings } from './parse-chat-settings.ts'
export { readReport } from './read-report.ts'
export { outputsFolder, removeOutputs } from './remove-outputs.ts'
export { replaceRunFile } from './replace-run-file.ts'
export { mostCounts, mostLeft, mostLeftCharacters, mostReportBytes, type ReadReport, type RunReport } from './report.ts'
export { retireRunDirectory } from './retire-run-directory.ts'
export {
  composeRunDirectory,
  composeStageDirectory,
  createRunDirectory,
  createStageDirectory,
  renewExitRecord,
} from './run-directory.ts'
export { composeRunFiles } from './run-files.ts'
export { readVerdictLine } from './verdict-line.ts'
export { reservedReport, writeReport } from './write-report.ts'
