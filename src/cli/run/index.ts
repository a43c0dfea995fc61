export { openBatch } from './batch-homes.ts'
export { runBatch } from './run-batch.ts'
export { parseRunRequest, type RunOptions } from './run-request.ts'
