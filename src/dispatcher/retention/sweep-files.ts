import type { Board } from '../../board/index.ts'
import type { KeepConfig } from '../../kernel/config/index.ts'
import { type Clock, crashPoint } from '../../kernel/index.ts'
import { keptAttachments, removeAttachment, sweepUnfinished } from '../../runs/index.ts'
import { planFile } from './plan-retention.ts'

export interface FileSweepDeps {
  readonly board: Pick<Board, 'keptFiles' | 'forgetFiles' | 'isFileUsed'>
  readonly clock: Clock
  readonly home: string
  readonly keep: KeepConfig
  /** Lets the loop work; false when it is to stop. */
  readonly rest: () => Promise<boolean>
}

/** A file that was stored a moment ago may come to belong to a card in the next. */
const youngMs = 60 * 60_000

const rowsAStep = 100
const filesAStep = 50

/**
 * Files of cards that were archived long enough ago are forgotten, and bytes in the store that nothing has any more are removed:
 * no card and no change. First the one, on the disk, then the other, so that a kill in between leaves bytes for the next look and
 * never a card without its bytes. Answers how many files of the store went.
 */
export async function sweepFiles(deps: FileSweepDeps): Promise<number> {
  const { home, clock } = deps
  if (!(await forgetOld(deps))) return 0
  crashPoint('retention.forgotten')
  const beforeMs = clock.nowMs() - youngMs
  await sweepUnfinished(home, { beforeMs })
  return removeUnused(deps, beforeMs)
}

/** False when it is to stop. */
async function forgetOld({ board, clock, keep, rest }: FileSweepDeps): Promise<boolean> {
  for (let after = 0; ; ) {
    const files = board.keptFiles({ after, limit: rowsAStep })
    const old = files.filter((file) => planFile(file, keep, clock.nowMs()) === 'forget')
    if (old.length > 0) board.forgetFiles(old.map(({ id }) => id))
    if (!(await rest())) return false
    const last = files.at(-1)
    if (last === undefined || files.length < rowsAStep) return true
    after = last.id
  }
}

async function removeUnused({ board, home, rest }: FileSweepDeps, beforeMs: number): Promise<number> {
  let looked = 0
  let removed = 0
  for await (const { sha256 } of keptAttachments(home, { beforeMs })) {
    if (!board.isFileUsed(sha256)) {
      removeAttachment(home, sha256)
      removed += 1
    }
    looked += 1
    if (looked % filesAStep === 0 && !(await rest())) break
  }
  return removed
}
