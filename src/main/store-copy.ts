import { openBoardCopy, refuseNetwork } from '../board/index.ts'
import { systemClock as clock, systemRandom as random, realPath, YardError } from '../kernel/index.ts'
import { userName } from './find-hub.ts'
import { composeHome, type Home } from './home.ts'
import type { HubOptions, OpenStore } from './hub-options.ts'
import { buildLearningMask } from './known-secrets.ts'
import { serveInProcess } from './store-only.ts'
import { takeHome } from './take-home.ts'

/**
 * What a home holds, read from a copy of its store: for a disk that is full or only reads, where nothing can be opened in
 * its place. Nothing of the home changes, and nothing can be changed. Throws `MAIN_HOME_TAKEN`, and what the board throws.
 */
export async function openStoreCopy(options: Omit<HubOptions, 'purpose' | 'paused'>): Promise<OpenStore> {
  const home = composeHome(realPath(options.home))
  refuseNetwork(home.path)
  const board = await whileNobodyWrites(home, () => openBoardCopy({ path: home.store, clock, random }))
  const secrets = buildLearningMask(options.config, options.env)
  // Of this process alone: the home's own may be missing, and is nobody's to make here.
  const token = random.hex(32)
  const api = serveInProcess({ board, log: { error: () => {} }, secrets }, { ...options, home, token })
  return {
    client: api.connect(userName()),
    async close() {
      await api.stop()
      board.close()
    },
  }
}

/** Under the lock, where that can be taken; on a disk that only reads nobody writes anyway. */
async function whileNobodyWrites<T>(home: Home, act: () => T): Promise<T> {
  const taken = await takeHome({ clock, random }, { home, purpose: 'store' }).catch((fault: unknown) => {
    if (fault instanceof YardError && fault.code === 'PROCESS_LOCK_FAILED') return undefined
    throw fault
  })
  try {
    return act()
  } finally {
    taken?.lock.release()
  }
}
