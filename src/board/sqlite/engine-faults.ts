import { boardError } from '../errors.ts'

/**
 * Throws `BOARD_ENGINE_BAD` when this version of SQLite is known to damage or lose what it is given to keep in the way in
 * which we use it: WAL mode, more than one connection. The one we ship is none of them; another build may bring one.
 */
export function refuseBadEngine(version: string): void {
  const why = findEngineFault(version)
  if (why !== undefined) throw boardError('BOARD_ENGINE_BAD', { version, why })
}

/** What is wrong with a version of SQLite; undefined when nothing is known. */
export function findEngineFault(version: string): string | undefined {
  return engineFaults.find(({ from, before, except }) => {
    if (compare(version, from) < 0 || compare(version, before) >= 0) return false
    return !except.some((mended) => isMended(version, mended))
  })?.why
}

interface EngineFault {
  /** The first version that has it, and the first one that has it no more. */
  readonly from: string
  readonly before: string
  /** First releases of older lines into which the repair was taken back. */
  readonly except: readonly string[]
  readonly why: string
}

export const engineFaults: readonly EngineFault[] = [
  {
    // https://sqlite.org/wal.html#walresetbug: two connections that write and checkpoint at one moment.
    from: '3.7.0',
    before: '3.51.3',
    except: ['3.44.6', '3.50.7'],
    why: 'can damage a store that two programs use at one moment (the WAL-reset bug)',
  },
  {
    // https://sqlite.org/changes.html: withdrawn a week after its release, 3.51.3 took its place.
    from: '3.52.0',
    before: '3.52.1',
    except: [],
    why: 'was withdrawn by its authors',
  },
]

/** At or after the repair, in the same line (3.50.9 for 3.50.7). */
function isMended(version: string, mended: string): boolean {
  const lineOf = (text: string) => text.split('.').slice(0, 2).join('.')
  return lineOf(version) === lineOf(mended) && compare(version, mended) >= 0
}

function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number))
  for (let i = 0; i < 3; i += 1) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
