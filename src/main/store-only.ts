import { ApiServer, readOrMakeToken } from '../api/index.ts'
import { type Board, openBoard, refuseNetwork } from '../board/index.ts'
import { systemClock as clock, systemRandom as random } from '../kernel/index.ts'
import { userName } from './find-hub.ts'
import { type Home, makeHome } from './home.ts'
import { type HubLog, openHubLog } from './hub-log.ts'
import type { HubOptions, OpenStore } from './hub-options.ts'
import { buildLearningMask, type LearningMask } from './known-secrets.ts'
import { findMissingStore } from './missing-store.ts'
import { takeHome } from './take-home.ts'
import { buildYardView } from './yard-facts.ts'
import { yardLimits } from './yard-limits.ts'

const graceMs = 10_000

/**
 * The store of a home under its lock, with the API in front of it and no dispatcher: reads and edits. What may touch a
 * process is refused by the API (`API_RUN_MAY_BE_ALIVE`). Throws `MAIN_HOME_TAKEN`.
 */
export async function openStoreOnly(options: Omit<HubOptions, 'purpose' | 'paused'>): Promise<OpenStore> {
  const home = makeHome(options.home)
  refuseNetwork(home.path)
  const { lock } = await takeHome({ clock, random }, { home, purpose: 'store' })
  const closers: (() => void | Promise<void>)[] = [() => lock.release()]
  const close = async () => {
    for (const closing of closers.splice(0).toReversed()) await closing()
  }
  try {
    const secrets = buildLearningMask(options.config, options.env)
    const token = readOrMakeToken({ random }, { file: home.token })
    const log = openHubLog({ mask: secrets.mask }, home.log)
    closers.push(() => log.close())
    const missing = findMissingStore(home)
    if (missing !== undefined) throw missing
    const board = openBoard({ path: home.store, clock, random })
    closers.push(() => board.close())
    board.applyLimits(yardLimits(options.config))
    const api = serveInProcess({ board, log, secrets }, { ...options, home, token })
    closers.push(() => api.stop())
    return { client: api.connect(userName()), close }
  } catch (fault) {
    await close()
    throw fault
  }
}

export interface InProcess extends Omit<HubOptions, 'purpose' | 'paused' | 'home'> {
  readonly home: Home
  readonly token: string
}

/** The API over an open board, for this process alone. */
export function serveInProcess(
  {
    board,
    log,
    secrets,
  }: { readonly board: Board; readonly log: Pick<HubLog, 'error'>; readonly secrets: LearningMask },
  { token, ...facts }: InProcess,
): ApiServer {
  const { mask, known, learn } = secrets
  const yard = buildYardView({ board }, { ...facts, pid: process.pid, builtInGraceMs: graceMs })
  return new ApiServer(
    { board, yard, mask, knownSecrets: known, learnSecrets: learn, clock, random, log },
    { token, preferredPort: 0 },
  )
}
