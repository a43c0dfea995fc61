export { type FoundBatch, openBatch } from './batch-homes.ts'
export { runError } from './errors.ts'
export { runBatch } from './run-batch.ts'
export { parseRunRequest, type RunOptions } from './run-request.ts'
