import type { BoardReader, StageKind } from '../../board/index.ts'
import type { RunId } from '../../kernel/index.ts'

/** Whether more may still be written: until the attempt is settled; by a stage beside its work, until that has ended. */
export function isLogOpen(
  board: Pick<BoardReader, 'readRun' | 'stagesOf'>,
  { run, stage }: { readonly run: RunId; readonly stage: StageKind },
): boolean {
  if (board.readRun(run)?.phase === 'settled') return false
  if (stage === 'work') return true
  const begun = board.stagesOf(run).find(({ kind }) => kind === stage)
  return begun === undefined || begun.endedAtMs === null
}
