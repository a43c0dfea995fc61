import { type TaskSettings, type TaskSpec, whyImpossible, whyUncounted } from '../../board/index.ts'
import type { YardView } from '../yard-view.ts'
import { badRequest } from './bad-request.ts'
import { pickReviewer } from './pick-lane.ts'

export type CardYard = Pick<YardView, 'lanes' | 'resolveCard' | 'refuseFolder'>

export interface CardToCheck {
  readonly spec: TaskSpec
  /** Of its batch. */
  readonly defaults: TaskSettings | null
  readonly board: string
  readonly lane: string
  /** Where it stands in the body: `tasks[3]`, or empty. */
  readonly path: string
}

/**
 * Refuses a card whose settings, its own and those around it, cannot be meant together, that asks for a reviewer who is none,
 * or that names a folder where nothing may work.
 */
export function refuseCard(yard: CardYard, { path, ...card }: CardToCheck): void {
  const resolved = yard.resolveCard(card)
  if (resolved === undefined) return // its lane is gone: whoever looks for one says so
  const refusal = whyImpossible(resolved)
  if (refusal !== undefined) {
    throw path === '' ? refusal : badRequest({ path, says: `cannot be: ${refusal.message}`, fix: refusal.fix })
  }
  const kind = card.spec.prompt === undefined ? 'run' : 'prompt'
  const lane = yard.lanes().find(({ name }) => name === card.lane)
  if (lane !== undefined) {
    const uncounted = whyUncounted(resolved, { kind, lane: { unpriced: [], ...lane } })
    if (uncounted !== undefined) {
      const { field, says, fix } = uncounted
      throw badRequest({ path: path === '' ? field : `${path}.${field}`, says: `cannot be kept: ${says}`, fix })
    }
  }
  const { value: review } = resolved.review
  if (typeof review !== 'string')
    pickReviewer(yard.lanes(), { lane: review.lane, where: path === '' ? 'review' : path })
  const refused = yard.refuseFolder({ kind, workspace: resolved.workspace.value, dir: card.spec.dir })
  if (refused !== undefined) throw refused
}
