export type { Client, LogStage } from './client.ts'
export { connectHttp, connectInProcess } from './connect.ts'
export { readToken, tokenPattern } from './read-token.ts'
export { connectRun } from './run-client.ts'
