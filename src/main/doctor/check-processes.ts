import { readFileSync } from 'node:fs'
import type { HealthView } from '../../api/contract/index.ts'
import { loadLibc } from '../../kernel/process/index.ts'
import type { Home } from '../home.ts'
import { type Check, ok, warn } from './check.ts'

/** What the workers of this yard can reach (promise P7): said, not hidden. */
export function checkWorkers(home: Home, isMade: boolean): readonly Check[] {
  const reach = isMade ? `${home.path} and everything else that you can` : 'everything that you can'
  if (process.geteuid?.() !== 0) return [ok('workers', `run as you, without a sandbox: they can read ${reach}`)]
  const fix = 'run the hub as a user of its own: yardmaster service install --system --as USER'
  return [warn('workers', 'run as root, without a sandbox: they can read and change everything on this machine', fix)]
}

/** With what the processes of attempts are watched and ended here. */
export async function checkProcesses(health: HealthView | undefined): Promise<readonly Check[]> {
  return [await checkSignals(), ...checkInit(health)]
}

async function checkSignals(): Promise<Check> {
  const libc = await loadLibc()
  if (libc === undefined) {
    const says =
      'koffi is not there: a process is compared right before each signal, which leaves a gap of microseconds'
    return warn('signals', says, 'npm install -g yardmaster without --omit=optional')
  }
  return ok('signals', `pidfd${libc.canSignalGroup ? ', for whole groups' : ' (for whole groups from Linux 6.9)'}`)
}

/** Orphans of workers become children of PID 1, which has to take leave of them. */
function checkInit(health: HealthView | undefined): readonly Check[] {
  const fix = 'start the container with an init: docker run --init, or as in docs/running.md'
  if (health?.pid === 1)
    return [warn('init', 'the hub itself is PID 1 here, and orphans of workers become its children', fix)]
  const init = nameOf(1)
  return init === undefined ? [] : [ok('init', `PID 1 is ${init}`)]
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}
