import type { FastifyInstance } from 'fastify'
import { bodyOrThrow } from '../bodies/bad-request.ts'
import { holdScopeFromBody } from '../bodies/hold-from-body.ts'
import { DownBody, HoldBody } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { viewHealth } from '../views/health-view.ts'
import { actorOf, type RouteDeps } from './route-deps.ts'

/** Health, and what holds or ends the whole yard. */
export function addYardRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard } = deps

  app.get('/health', () => viewHealth(deps))

  for (const kind of ['pause', 'drain'] as const) {
    app.post(`/${kind}`, (request) => {
      const hold = holdScopeFromBody(yard, bodyOrThrow(HoldBody, request.body))
      board.setHold({ ...hold, kind }, actorOf(request))
      return viewHealth(deps)
    })
  }

  app.post('/resume', (request) => {
    const { scope, name } = holdScopeFromBody(yard, bodyOrThrow(HoldBody, request.body))
    board.liftHold(scope, name, actorOf(request))
    return viewHealth(deps)
  })

  app.post('/down', (request, reply) => {
    const { mode } = bodyOrThrow(DownBody, request.body)
    if (yard.dispatcher === undefined) throw apiError('API_NO_HUB', { what: 'bring down' })
    yard.dispatcher.down(mode)
    return reply.code(202).send(viewHealth(deps))
  })
}
