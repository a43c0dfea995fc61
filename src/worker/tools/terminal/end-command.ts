import type { Clock } from '../../../kernel/index.ts'
import {
  captureFingerprint,
  compareFingerprint,
  type Fingerprint,
  type HostIdentity,
  readMarkers,
  readProcessTable,
  sendSignal,
} from '../../../kernel/process/index.ts'

/** A command as it was started: its leader, and the marker that all it starts inherit. */
export interface StartedCommand {
  readonly leader: Fingerprint
  readonly commandMarker: string
}

const graceMs = 1_500
const lookEveryMs = 50
const mostRounds = 100

/**
 * Ends everything that a command started: TERM, 1.5 s later KILL, until nobody is left. Members are those of the
 * leader's group while the leader proves that the number is ours, those with the marker, and those seen before.
 */
export async function endCommand(
  { clock, host }: { readonly clock: Clock; readonly host: HostIdentity },
  command: StartedCommand,
  reason: string,
): Promise<void> {
  const seen = new Map<string, Fingerprint>()
  const startedMs = clock.monotonicMs()
  const asked = new Set<string>()
  for (let round = 0; round < mostRounds; round += 1) {
    const alive = lookForMembers(host, command, seen)
    if (alive?.length === 0) return
    const signal = clock.monotonicMs() - startedMs < graceMs ? 'SIGTERM' : 'SIGKILL'
    for (const member of alive ?? []) {
      const id = `${signal} ${member.pid} ${member.startTicks}`
      if (signal === 'SIGTERM' && asked.has(id)) continue // one polite request each
      asked.add(id)
      const target = { fingerprint: member, pidfd: undefined }
      sendSignal({ host, libc: undefined }, { target, scope: 'process', signal, source: 'tool', reason })
    }
    await clock.sleep(lookEveryMs)
  }
}

/** Undefined when the look was not complete: then nobody may be taken for gone. */
function lookForMembers(
  host: HostIdentity,
  command: StartedCommand,
  seen: Map<string, Fingerprint>,
): readonly Fingerprint[] | undefined {
  const leaderLives = compareFingerprint(host, command.leader) === 'same'
  const table = readProcessTable()
  for (const { pid, group } of table?.values() ?? []) {
    const member = (leaderLives && group === command.leader.pid) || readMarkers(pid).includes(command.commandMarker)
    const fingerprint = member ? captureFingerprint(host, pid) : undefined
    if (fingerprint !== undefined) seen.set(`${fingerprint.pid} ${fingerprint.startTicks}`, fingerprint)
  }
  const alive = [...seen.values()].filter((fingerprint) => compareFingerprint(host, fingerprint) === 'same')
  return table === undefined && alive.length === 0 ? undefined : alive
}
