export { followBatch } from './follow-batch.ts'
export { openStage, type Stage } from './show-progress.ts'
