import type { FastifyReply } from 'fastify'
import type { BoardReader, Run } from '../../board/index.ts'
import { openAttachment } from '../../runs/index.ts'
import { apiError } from '../errors.ts'
import type { YardView } from '../yard-view.ts'

/**
 * Sends what an attempt changed as its bytes are read: the diff alone, as it is stored. What a reader wants above it (task,
 * commit, whether it was checked) stands in the attempt's own view, because some of it is known only after the patch was
 * stored under its checksum. Throws `API_NO_PATCH`, `API_PATCH_GONE`.
 */
export async function sendPatch(
  { board, yard }: { readonly board: Pick<BoardReader, 'changeOf'>; readonly yard: Pick<YardView, 'home'> },
  run: Run,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const change = board.changeOf(run.id)
  if (change === undefined) throw apiError('API_NO_PATCH', { run: run.id, why: whyNone(run) })
  if (change.patch === null) throw apiError('API_NO_PATCH', { run: run.id, why: 'it changed nothing' })
  const handle = await openAttachment(yard.home, change.patch.sha256)
  if (handle === undefined) throw apiError('API_PATCH_GONE', { run: run.id, branch: change.branch })
  return reply
    .header('content-type', 'application/octet-stream')
    .header('content-length', (await handle.stat()).size)
    .header('content-disposition', `attachment; filename="R${run.id}.diff"`)
    .header('x-content-type-options', 'nosniff')
    .header('etag', `"${change.patch.sha256}"`)
    .send(handle.createReadStream())
}

function whyNone({ phase }: Run): string {
  return phase === 'settled' ? 'it worked in no worktree' : 'its end has not been recorded yet'
}
