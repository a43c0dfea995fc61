import type { FastifyInstance, FastifyRequest } from 'fastify'
import { batchId, taskId } from '../../kernel/index.ts'
import { badRequest, queryOrThrow } from '../bodies/bad-request.ts'
import { EventsQuery, type EventView } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { streamEvents } from '../live/event-stream.ts'
import { serveSse } from '../live/serve-sse.ts'
import { viewEvent } from '../views/event-view.ts'
import type { RouteDeps } from './route-deps.ts'

const eventsByDefault = 1_000

export function addEventRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board } = deps

  app.get('/events', async (request, reply) => {
    const { after, filter } = wantedEvents(request)
    const from = lastEventId(request) ?? after
    const last = board.lastSeq()
    if (from > last) throw apiError('API_EVENT_AHEAD', { after: from, last })
    await serveSse(deps, reply, (send, signal) => streamEvents(deps, { after: from, ...filter }, send, signal))
  })

  app.get('/events/page', (request): readonly EventView[] => {
    const { after, limit, filter } = wantedEvents(request)
    return board.eventsAfter(after, limit, filter).map(viewEvent)
  })
}

function wantedEvents(request: FastifyRequest) {
  const { after = 0, limit = eventsByDefault, task, batch } = queryOrThrow(EventsQuery, request.query)
  const filter = {
    ...(task === undefined ? {} : { task: taskId(task) }),
    ...(batch === undefined ? {} : { batch: batchId(batch) }),
  }
  return { after, limit, filter }
}

/** What a browser sends along when it connects again; it counts more than the address, which stays the first one. */
function lastEventId(request: FastifyRequest): number | undefined {
  const text = request.headers['last-event-id']
  if (text === undefined || text === '') return undefined
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text)
  throw badRequest({ path: 'last-event-id', says: 'must be the number of an event', fix: 'leave it out to start anew' })
}
