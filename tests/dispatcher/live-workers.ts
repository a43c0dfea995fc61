import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from './hub-process.ts'
import type { Yard } from './start-yard.ts'

/** First words of a worker's command: it says its pid in the file `pids`. */
export const sayPid = 'echo $$ >> pids'

/** Those of all who said their pid that live now. Pids are few and young here, so that none is used again. */
export function liveWorkers({ folder }: Pick<Yard, 'folder'>): readonly number[] {
  const file = join(folder, 'pids')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number).filter(isAlive)
}

/** Looks every few milliseconds, and at each commit, until stopped; answers the most that `look` ever said. */
export function watchMost(yard: Pick<Yard, 'board'>, look: () => number): () => number {
  let most = 0
  const see = () => {
    most = Math.max(most, look())
  }
  const timer = setInterval(see, 5)
  const over = new AbortController()
  yard.board.onEvents(over.signal, see)
  return () => {
    see()
    clearInterval(timer)
    over.abort()
    return most
  }
}
