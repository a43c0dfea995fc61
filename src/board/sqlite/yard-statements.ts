import type { RunId } from '../../kernel/index.ts'
import type { Hold } from '../hold.ts'
import type { Database } from './database.ts'
import { maybe } from './maybe.ts'
import clearAccountsSql from './statements/clear-accounts.sql'
import clearLanesSql from './statements/clear-lanes.sql'
import clearProbeSql from './statements/clear-probe.sql'
import closeGateSql from './statements/close-gate.sql'
import insertAccountSql from './statements/insert-account.sql'
import insertLaneSql from './statements/insert-lane.sql'
import liftHoldsSql from './statements/lift-holds.sql'
import listGatesSql from './statements/list-gates.sql'
import listHoldsSql from './statements/list-holds.sql'
import nextGateTimeSql from './statements/next-gate-time.sql'
import openGateSql from './statements/open-gate.sql'
import parkGateSql from './statements/park-gate.sql'
import readAccountsSql from './statements/read-accounts.sql'
import readGateSql from './statements/read-gate.sql'
import readLanesSql from './statements/read-lanes.sql'
import readYardSql from './statements/read-yard.sql'
import replanGatesSql from './statements/replan-gates.sql'
import setHoldSql from './statements/set-hold.sql'
import setProbeSql from './statements/set-probe.sql'
import writeYardSql from './statements/write-yard.sql'
import { type GateRow, type HoldRow, parseGateRow, parseHoldRow } from './yard-rows.ts'

type Nothing = Record<string, never>
type Closing = { account: string; reason: string; byRun: RunId; nowMs: number }
type ScopeKey = { scope: Hold['scope']; name: string }

/** One typed function for each statement about limits, gates and holds. */
export function yardStatements(db: Database) {
  const readGate = db.one<{ account: string }, GateRow>(readGateSql)
  const listGates = db.many<Nothing, GateRow>(listGatesSql)
  const listHolds = db.many<Nothing, HoldRow>(listHoldsSql)

  return {
    readYard: db.one<Nothing, { slots: number; revision: number }>(readYardSql),
    writeYard: db.change<{ slots: number }>(writeYardSql),
    clearLanes: db.change<Nothing>(clearLanesSql),
    insertLane: db.change<{ name: string; account: string | null; slots: number | null }>(insertLaneSql),
    readLanes: db.many<Nothing, { name: string; account: string | null; slots: number | null }>(readLanesSql),
    clearAccounts: db.change<Nothing>(clearAccountsSql),
    insertAccount: db.change<{ name: string; slots: number | null }>(insertAccountSql),
    readAccounts: db.many<Nothing, { name: string; slots: number | null }>(readAccountsSql),
    readGate: (account: string) => maybe(readGate({ account }) ?? null, parseGateRow),
    listGates: () => listGates({}).map(parseGateRow),
    closeGate: db.change<Closing & { untilMs: number; doublings: number }>(closeGateSql),
    parkGate: db.change<Closing & { parkedBy: string }>(parkGateSql),
    /** 1 when it was closed. */
    openGate: db.change<{ account: string; nowMs: number }>(openGateSql),
    replanGates: db.change<{ nowMs: number }>(replanGatesSql),
    /** 1 when no other run probes it. */
    setProbe: db.change<{ account: string; run: RunId }>(setProbeSql),
    clearProbe: db.change<{ run: RunId }>(clearProbeSql),
    nextGateTime: db.one<{ nowMs: number }, { at_ms: number | null }>(nextGateTimeSql),
    /** 1 when it is new. */
    setHold: db.change<ScopeKey & { kind: Hold['kind']; by: string; hub: string; text: string | null; nowMs: number }>(
      setHoldSql,
    ),
    liftHolds: db.change<ScopeKey & { setBy: string | null }>(liftHoldsSql),
    listHolds: () => listHolds({}).map(parseHoldRow),
  }
}
