import type { Board, Run } from '../../board/index.ts'
import { formatRunId, formatTaskId, type Redactor } from '../../kernel/index.ts'
import { type BadArtifact, collectArtifacts, sayBadArtifacts } from '../../runs/index.ts'
import { apiError } from '../errors.ts'
import type { YardView } from '../yard-view.ts'

interface Deps {
  readonly board: Board
  readonly yard: Pick<YardView, 'home' | 'runDir' | 'folderOf'>
}

/**
 * Stores what an attempt says it has made, and puts it on its card, before its word that it is done counts (C53). Throws
 * `API_BAD_ARTIFACTS` with all that cannot be taken; then nothing of them is on the card, and the refusal is on record. Who
 * has said already how it ends is not asked for them again: its files may be gone by then.
 */
export async function keepArtifacts(
  { board, yard }: Deps,
  { run, paths, mask }: { readonly run: Run; readonly paths: readonly string[]; readonly mask: Redactor },
): Promise<void> {
  if (paths.length === 0 || run.call !== null) return
  const { id, task } = run
  const asked = { runDir: yard.runDir(id), folder: yard.folderOf(run), artifacts: paths.map((path) => ({ path })) }
  const { stored, bad } = await collectArtifacts({ home: yard.home }, asked)
  if (bad.length > 0) {
    const masked = bad.map(({ path, why }) => ({ path: mask(path), why }))
    recordRefusal({ board }, { run, says: 'said that it is done, and was refused', bad: masked })
    throw apiError('API_BAD_ARTIFACTS', { run: id, bad: masked })
  }
  await board.queue((board) => {
    for (const file of stored) {
      board.addAttachment({ ...file, name: mask(file.name), task, run: id }, { by: formatRunId(id) })
    }
  })
}

/** The one trace of a file that an attempt wanted to hand back and that was not taken. */
export function recordRefusal(
  { board }: Pick<Deps, 'board'>,
  { run, says, bad }: { readonly run: Run; readonly says: string; readonly bad: readonly BadArtifact[] },
): void {
  const text = `${formatTaskId(run.task)} attempt ${run.attempt} ${says}: ${sayBadArtifacts(bad)}`
  board.record({ kind: 'run.artifacts_refused', run: run.id, text, data: { bad } }, { by: formatRunId(run.id) })
}
