export { ApiServer } from './api-server.ts'
export { readOrMakeToken } from './auth/token.ts'
export type { DispatcherView, HubAbout, LaneFacts, YardView } from './yard-view.ts'
