export { type FollowDeps, followBatch } from './follow-batch.ts'
export { openStage, type Stage } from './show-progress.ts'
