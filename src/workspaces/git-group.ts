import {
  captureFingerprint,
  type Fingerprint,
  type HostIdentity,
  readHostIdentity,
  readProcessTable,
  sendSignal,
} from '../kernel/process/index.ts'

/**
 * A git and all that it has started: what talks to another machine, filters of the repository. They are left behind when git is
 * ended alone, and hold its pipes: a server that never answers, or a filter that hangs, would keep whoever waits.
 */
export interface GitGroup {
  /** Asks all of it to end, as long as git itself is there. */
  askToEnd(): void
  /** KILL for those that were asked and are still there, also when git itself is gone by now. */
  kill(): void
}

/** The group of a git that was just started as its leader. */
export function groupOf(pid: number | undefined): GitGroup {
  host ??= readHostIdentity()
  const signals = { host, libc: undefined }
  const leader = pid === undefined ? undefined : captureFingerprint(host, pid)
  let asked: readonly Fingerprint[] = []
  const send = (fingerprint: Fingerprint, how: { scope: 'group' | 'process'; signal: 'SIGTERM' | 'SIGKILL' }) => {
    const target = { fingerprint, pidfd: undefined }
    sendSignal(signals, { ...how, target, source: 'shutdown', reason: 'nobody waits for this git' })
  }
  return {
    askToEnd() {
      if (leader === undefined) return
      asked = membersOf(signals.host, leader.pid)
      send(leader, { scope: 'group', signal: 'SIGTERM' })
    },
    kill() {
      for (const member of asked) send(member, { scope: 'process', signal: 'SIGKILL' })
    },
  }
}

let host: HostIdentity | undefined

function membersOf(host: HostIdentity, group: number): readonly Fingerprint[] {
  const members = [...(readProcessTable()?.values() ?? [])].filter((stat) => stat.group === group)
  return members.flatMap(({ pid }) => captureFingerprint(host, pid) ?? [])
}
