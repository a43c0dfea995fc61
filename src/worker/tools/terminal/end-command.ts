import type { Clock } from '../../../kernel/index.ts'
import {
  captureFingerprint,
  compareFingerprint,
  type Fingerprint,
  type HostIdentity,
  type ProcessStat,
  readMarkers,
  readProcessTable,
  sendSignal,
} from '../../../kernel/process/index.ts'

/** A command as it was started: its leader, and the marker that all it starts inherit. */
export interface StartedCommand {
  /** Undefined where it could not be captured: then the marker alone tells. */
  readonly leader: Fingerprint | undefined
  readonly commandMarker: string
  /** sandbox: the leader only holds the sandbox open, and takes everything with it at once; it hears no TERM. */
  readonly leads: 'command' | 'sandbox'
}

const graceMs = 1_500
const lookEveryMs = 50
const mostRounds = 100

/**
 * Ends everything that these commands started: TERM, 1.5 s later KILL, until nobody is left. Members are those of a
 * leader's group while the leader proves that the number is ours, those with a marker, what any of them started, and
 * those seen before. survived: after five seconds somebody was still there.
 */
export async function endCommands(
  { clock, host }: { readonly clock: Clock; readonly host: HostIdentity },
  commands: readonly StartedCommand[],
  reason: string,
): Promise<'ended' | 'survived'> {
  if (commands.length === 0) return 'ended'
  const seen = new Map<string, Fingerprint>()
  const startedMs = clock.monotonicMs()
  const asked = new Set<string>()
  for (let round = 0; round < mostRounds; round += 1) {
    const alive = lookForMembers(host, commands, seen)
    if (alive?.length === 0) return 'ended'
    const signal = clock.monotonicMs() - startedMs < graceMs ? 'SIGTERM' : 'SIGKILL'
    for (const member of alive ?? []) {
      const id = `${signal} ${nameOf(member)}`
      if (signal === 'SIGTERM' && (asked.has(id) || isSpared(commands, member))) continue // one polite request each
      asked.add(id)
      signalMember(host, member, signal, reason)
    }
    await clock.sleep(lookEveryMs)
  }
  return 'survived'
}

/** KILL for everything that can be seen of these commands in this moment, without waiting for anything. */
export function killCommandsNow(host: HostIdentity, commands: readonly StartedCommand[], reason: string): void {
  for (const member of lookForMembers(host, commands, new Map()) ?? []) signalMember(host, member, 'SIGKILL', reason)
}

/** Those of which a process is there: their leader, or one with their marker. Taken by one look. */
export function findAlive(host: HostIdentity, commands: readonly StartedCommand[]): readonly StartedCommand[] {
  if (commands.length === 0) return []
  const markers = new Set([...(readProcessTable()?.keys() ?? [])].flatMap(readMarkers))
  return commands.filter(
    ({ leader, commandMarker }) =>
      markers.has(commandMarker) || (leader !== undefined && compareFingerprint(host, leader) === 'same'),
  )
}

/** Undefined when the look was not complete: then nobody may be taken for gone. */
function lookForMembers(
  host: HostIdentity,
  commands: readonly StartedCommand[],
  seen: Map<string, Fingerprint>,
): readonly Fingerprint[] | undefined {
  const table = readProcessTable()
  for (const pid of findMembers(host, commands, [...(table?.values() ?? [])])) {
    const fingerprint = captureFingerprint(host, pid)
    if (fingerprint !== undefined) seen.set(nameOf(fingerprint), fingerprint)
  }
  const alive = [...seen.values()].filter((fingerprint) => compareFingerprint(host, fingerprint) === 'same')
  return table === undefined && alive.length === 0 ? undefined : alive
}

function findMembers(
  host: HostIdentity,
  commands: readonly StartedCommand[],
  table: readonly ProcessStat[],
): ReadonlySet<number> {
  const markers = new Set(commands.map(({ commandMarker }) => commandMarker))
  const groups = new Set(
    commands.flatMap(({ leader }) => {
      return leader !== undefined && compareFingerprint(host, leader) === 'same' ? [leader.pid] : []
    }),
  )
  const members = new Set<number>()
  for (const { pid, group } of table) {
    if (groups.has(group) || readMarkers(pid).some((marker) => markers.has(marker))) members.add(pid)
  }
  for (let known = -1; known !== members.size; ) {
    known = members.size
    for (const { pid, parent } of table) if (members.has(parent)) members.add(pid)
  }
  return members
}

function signalMember(host: HostIdentity, member: Fingerprint, signal: 'SIGTERM' | 'SIGKILL', reason: string): void {
  const target = { fingerprint: member, pidfd: undefined }
  sendSignal({ host, libc: undefined }, { target, scope: 'process', signal, source: 'tool', reason })
}

const nameOf = ({ pid, startTicks }: Fingerprint): string => `${pid} ${startTicks}`

const isSpared = (commands: readonly StartedCommand[], member: Fingerprint): boolean =>
  commands.some(({ leads, leader }) => leads === 'sandbox' && leader?.pid === member.pid)
