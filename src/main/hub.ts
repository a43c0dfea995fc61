import { readOrMakeToken } from '../api/index.ts'
import { type Board, openBoard, refuseNetwork } from '../board/index.ts'
import { armCrashPoint, crashPoint, stepClockFrom, systemClock, systemRandom } from '../kernel/index.ts'
import { readMachine } from '../kernel/process/index.ts'
import { askToLeave } from './hand-over.ts'
import { makeHome } from './home.ts'
import { type HubLog, openHubLog } from './hub-log.ts'
import type { Hub, HubOptions } from './hub-options.ts'
import { buildLearningMask } from './known-secrets.ts'
import { findMissingStore } from './missing-store.ts'
import { takeHome } from './take-home.ts'
import { YardHub } from './yard-hub.ts'

const clock = systemClock
const random = systemRandom

/**
 * Opens everything in order (home, lock, log, token, store, API, dispatcher) and takes it down in the reverse one. What
 * fails on the way leaves nothing open. Throws `MAIN_HOME_TAKEN` when another process works this home.
 */
export async function openHub(options: HubOptions): Promise<Hub> {
  armCrashPoint(options.env.YARDMASTER_CRASH_AT)
  stepClockFrom(options.env.YARDMASTER_CLOCK_OFFSET_FILE)
  const home = makeHome(options.home)
  const { kind: lies, name: fileSystem } = refuseNetwork(home.path)
  const secrets = buildLearningMask(options.config, options.env)
  const { purpose, replaces: found } = options
  const after = found === undefined ? undefined : await askToLeave({ clock, random }, { home, options, found })
  const { lock, left } = await takeHome({ clock, random }, { home, purpose, after })
  const lockedAtMs = clock.nowMs()
  crashPoint('hub.locked')
  const opened: { log?: HubLog; board?: Board } = {}
  try {
    const { mask } = secrets
    const token = readOrMakeToken({ random }, { file: home.token })
    const log = openHubLog({ mask }, home.log)
    opened.log = log
    if (lies === 'unsure') log.warn('home.shared', { home: home.path, fileSystem })
    log.info('home.locked', { at: iso(lockedAtMs), pid: process.pid })
    if (left !== undefined) log.warn('home.left_uncleanly', { pid: left.pid, host: left.host, started: left.started })
    const missing = findMissingStore(home)
    if (missing !== undefined) throw missing
    const board = openBoard({ path: home.store, clock, random })
    opened.board = board
    const machine = readMachine({ random }, { keptIn: home.machine })
    const instance = random.hex(8)
    return await new YardHub({ options, home, lock, log, board, secrets, token, machine, instance, after }).start()
  } catch (fault) {
    opened.log?.error('hub.not_started', { err: fault })
    opened.board?.close()
    opened.log?.close()
    lock.release()
    throw fault
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
