export { ApiServer } from './api-server.ts'
export { readOrMakeToken } from './auth/token.ts'
export type { DispatcherView, LaneFacts, YardView } from './yard-view.ts'
