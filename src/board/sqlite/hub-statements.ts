import type { HubStart } from '../hub-start.ts'
import type { Database } from './database.ts'
import hostElsewhereSql from './statements/host-elsewhere.sql'
import hubStartsSql from './statements/hub-starts.sql'
import insertHubSql from './statements/insert-hub.sql'
import readMachineSql from './statements/read-machine.sql'
import stopHubSql from './statements/stop-hub.sql'
import writeMachineSql from './statements/write-machine.sql'

interface HubRow {
  instance: string
  machine: string
  host: string
  pid: number
  version: string
  started_by: string
  started_at_ms: number
  stopped_at_ms: number | null
}

/** One typed function for each statement about hubs and the machine they run on. */
export function hubStatements(db: Database) {
  const hubStarts = db.many<{ sinceMs: number; limit: number }, HubRow>(hubStartsSql)
  const readMachine = db.one<Record<string, never>, { machine: string | null }>(readMachineSql)

  return {
    insertHub: db.change<{
      instance: string
      machine: string
      host: string
      pid: number
      version: string
      startedBy: HubStart['startedBy']
      nowMs: number
    }>(insertHubSql),
    /** 1 when it had not left yet. */
    stopHub: db.change<{ instance: string; nowMs: number }>(stopHubSql),
    hubStarts: (of: { sinceMs: number; limit: number }) => hubStarts(of).map(parseHubRow),
    readMachine: () => readMachine({})?.machine ?? null,
    hostElsewhere: db.one<{ machine: string; hub: string | null }, { host: string }>(hostElsewhereSql),
    writeMachine: db.change<{ machine: string }>(writeMachineSql),
  }
}

function parseHubRow(row: HubRow): HubStart {
  return {
    instance: row.instance,
    machine: row.machine,
    host: row.host,
    pid: row.pid,
    version: row.version,
    startedBy: row.started_by as HubStart['startedBy'],
    startedAtMs: row.started_at_ms,
    stoppedAtMs: row.stopped_at_ms,
  }
}
