export type { Client, LogStage } from './client.ts'
export { connectHttp, connectInProcess } from './connect.ts'
export { readToken, tokenPattern } from './read-token.ts'
export { connectRun, type RunClient } from './run-client.ts'
