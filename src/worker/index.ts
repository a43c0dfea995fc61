export { parseScenario } from './rehearsal/parse-scenario.ts'
export { type RecordedCall, startRehearsalServer } from './rehearsal/rehearsal-server.ts'
export { ScenarioSchema } from './rehearsal/scenario-schema.ts'
export { startRehearsal } from './rehearsal/start-rehearsal.ts'
