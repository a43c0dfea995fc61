import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { Random } from '../kernel/index.ts'
import { answerError, type SurpriseLog, tellError } from './answer-error.ts'
import { type Caller, createAdmission } from './auth/admit.ts'
import { hearSendersOut } from './bodies/hear-out.ts'
import { mostBodyBytes } from './body-limit.ts'
import { apiBase } from './contract/index.ts'
import { apiError } from './errors.ts'
import { addAttachmentRoutes } from './routes/attachments.ts'
import { addBatchRoutes } from './routes/batches.ts'
import { addBoardFileRoutes } from './routes/board-file.ts'
import { addCleanRoutes } from './routes/clean.ts'
import { addEventRoutes } from './routes/events.ts'
import { addKeepRoutes } from './routes/keep.ts'
import type { RouteDeps } from './routes/route-deps.ts'
import { addRunCallRoutes } from './routes/run-calls.ts'
import { addRunRoutes } from './routes/runs.ts'
import { addTaskRoutes } from './routes/tasks.ts'
import { addYardRoutes } from './routes/yard.ts'

export interface AppDeps extends Omit<RouteDeps, 'tellFault'> {
  readonly random: Random
  readonly log: SurpriseLog
  /** Undefined: everything but `/health/live` answers 401. */
  readonly token: string | undefined
}

/** The application: who may come in, routes, errors as `ErrorView`. Opens no socket. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const admit = createAdmission(deps, deps.token)
  const tellFault: RouteDeps['tellFault'] = (fault, request) => tellError(deps, fault, request).view
  const served: RouteDeps = { ...deps, tellFault }
  const callers = new WeakMap<FastifyRequest, Caller>()
  const app = fastify({
    bodyLimit: mostBodyBytes,
    // Ids may stand in the address as `T5`; names of batches are percent-encoded by the client.
    routerOptions: { maxParamLength: 1_000 },
    // Broken addresses reach no hook and no handler, so they get their answer here; the token counts for them, too.
    frameworkErrors: (error, request, reply) => {
      return answerError(deps, refusalOf(() => admit(askedBy(request, request.url))) ?? error, request, reply)
    },
  })

  app.addHook('onRequest', async (request) => {
    // Letter by letter, as the router takes it: whoever tidies an address up (`..`, `\`) lets in what goes elsewhere.
    const [path = ''] = request.url.split('?', 1)
    if (path === `${apiBase}/health/live`) return
    callers.set(request, admit(askedBy(request, path)))
  })
  hearSendersOut(app, deps)
  app.setErrorHandler((error, request, reply) => answerError(deps, error, request, reply))
  app.setNotFoundHandler((request) => {
    throw apiError('API_NO_ROUTE', { method: request.method, path: request.url.slice(0, 200) })
  })
  app.register(
    async (routes) => {
      routes.get('/health/live', (_, reply) => reply.code(204).send())
      addTaskRoutes(routes, served)
      addAttachmentRoutes(routes, served)
      addRunRoutes(routes, served)
      addRunCallRoutes(routes, { ...served, callerOf: (request) => callers.get(request) })
      addBatchRoutes(routes, served)
      addEventRoutes(routes, served)
      addYardRoutes(routes, served)
      addKeepRoutes(routes, served)
      addCleanRoutes(routes, served)
      addBoardFileRoutes(routes, served)
    },
    { prefix: apiBase },
  )
  return app
}

const askedBy = ({ headers, method }: FastifyRequest, path: string) => ({
  authorization: headers.authorization,
  method,
  path,
})

function refusalOf(act: () => unknown): unknown {
  try {
    act()
    return undefined
  } catch (refusal) {
    return refusal
  }
}
