import type { Board } from '../board/index.ts'
import { findOriginalHome } from '../dispatcher/supervisor/index.ts'
import { readHostIdentity } from '../kernel/process/index.ts'
import { composeRunDirectory } from '../runs/index.ts'
import { type Home, keepSaidCopy, readSaidCopy } from './home.ts'
import type { HubLog } from './hub-log.ts'

/**
 * What a person should know where this home is a copy, made on this machine while attempts ran: they go on for the
 * original, and are held here. Said once for each pair of homes, also in the log and among the events. Undefined where there
 * is nothing to say; a copy that holds nothing is a home like any other.
 */
export function sayCopy({
  home,
  board,
  log,
}: {
  readonly home: Pick<Home, 'path' | 'copy'>
  readonly board: Board
  readonly log: Pick<HubLog, 'warn'>
}): string | undefined {
  const host = readHostIdentity()
  const originals = board
    .openRuns()
    .flatMap(
      ({ id, fingerprint }) =>
        findOriginalHome(host, { fingerprint, runDir: composeRunDirectory(home.path, id) }) ?? [],
    )
  const [from] = originals
  if (from === undefined || readSaidCopy(home) === `${from}\n${home.path}`) return undefined
  const held = originals.length
  const attempts = held === 1 ? 'an attempt that runs for that one is' : `${held} attempts that run for that one are`
  const text = `this home is a copy of ${from} on this machine: ${attempts} held, never signalled; yardmaster why`
  log.warn('home.moved', { from, to: home.path, held })
  board.record({ kind: 'home.moved', text, data: { from, to: home.path, held } }, { by: 'hub' })
  // Said before it is written: a kill between the two says it twice rather than never.
  keepSaidCopy(home, `${from}\n${home.path}`)
  return text
}
