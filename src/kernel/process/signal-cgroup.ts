import { writeFileSync } from 'node:fs'
import { isCgroupPopulated, readOwnCgroup } from './cgroups.ts'
import type { SignalOrder, SignalRecord } from './signals.ts'

/** The group of a run, and its shim for the record. */
export interface CgroupOrder extends Pick<SignalOrder, 'source' | 'reason'> {
  readonly folder: string
  readonly pid: number
}

/**
 * Kills all in a control group and below it in one act, those that are being forked included. Whoever is in it was born
 * there or put there: it is proven ours without a look at anybody. One in which we are ourselves is refused.
 */
export function killCgroup({ folder, pid, source, reason }: CgroupOrder): SignalRecord {
  return { pid, scope: 'cgroup', signal: 'SIGKILL', source, reason, method: 'cgroup_kill', answer: kill(folder) }
}

function kill(folder: string): SignalRecord['answer'] {
  if (`${readOwnCgroup() ?? ''}/`.startsWith(`${folder}/`)) return 'refused'
  if (!isCgroupPopulated(folder)) return 'gone'
  try {
    writeFileSync(`${folder}/cgroup.kill`, '1')
    return 'delivered'
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENODEV' ? 'gone' : `failed ${code}`
  }
}
