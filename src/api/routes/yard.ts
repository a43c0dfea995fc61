import type { FastifyInstance } from 'fastify'
import { bodyOrThrow } from '../bodies/bad-request.ts'
import { type HoldableNames, holdScopeFromBody } from '../bodies/hold-from-body.ts'
import { DownBody, HoldBody } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { viewHealth } from '../views/health-view.ts'
import { actorOf, type RouteDeps } from './route-deps.ts'

/** Health, and what holds or ends the whole yard. */
export function addYardRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard } = deps

  app.get('/health', () => viewHealth(deps))

  for (const kind of ['pause', 'drain'] as const) {
    app.post(`/${kind}`, async (request) => {
      const hold = holdScopeFromBody(configured(deps), bodyOrThrow(HoldBody, request.body))
      await board.queue((board) => board.setHold({ ...hold, kind }, actorOf(request)))
      return viewHealth(deps)
    })
  }

  app.post('/resume', async (request) => {
    const { scope, name } = holdScopeFromBody(liftable(deps), bodyOrThrow(HoldBody, request.body))
    await board.queue((board) => board.liftHold(scope, name, actorOf(request)))
    return viewHealth(deps)
  })

  app.post('/down', (request, reply) => {
    const { mode } = bodyOrThrow(DownBody, request.body)
    if (yard.dispatcher === undefined) throw apiError('API_NO_HUB', { what: 'bring down' })
    yard.dispatcher.down(mode)
    return reply.code(202).send(viewHealth(deps))
  })
}

function configured({ yard }: RouteDeps): HoldableNames {
  return { lane: yard.lanes().map(({ name }) => name), account: yard.accounts }
}

/** What is held can be lifted, also when the configuration does not know it any more. */
function liftable(deps: RouteDeps): HoldableNames {
  const { lane, account } = configured(deps)
  const held = deps.board.holds()
  const heldAs = (wanted: 'lane' | 'account') =>
    held.flatMap(({ scope, name }) => (scope === wanted && name !== null ? [name] : []))
  const closed = deps.board.gates().map((gate) => gate.account)
  return { lane: [...lane, ...heldAs('lane')], account: [...account, ...heldAs('account'), ...closed] }
}
