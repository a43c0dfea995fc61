import { setMaxListeners } from 'node:events'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Run } from '../../board/index.ts'
import { queryOrThrow } from '../bodies/bad-request.ts'
import { RunNewsQuery, type RunNewsView } from '../contract/index.ts'
import { createBell } from '../live/bell.ts'
import { viewRunNews } from '../views/run-own-view.ts'
import { holderOf, isOpen, type RunCallDeps, readRun, runOver } from './run-holder.ts'

/**
 * What has happened to the task of an attempt, told in the moment in which it happens: the question is held back until there is
 * something to tell. Fifty idle workers so cost the hub 0.3 % of a core; asking every two seconds cost 2 %.
 */
export function addRunNewsRoute(app: FastifyInstance, deps: RunCallDeps): void {
  app.get('/run/news', async (request): Promise<RunNewsView> => {
    const holder = holderOf(deps, request, 'news')
    const { after, wait = 0 } = queryOrThrow(RunNewsQuery, request.query)
    const look = () => lookFor(deps, readRun(deps, holder), after)
    const now = look()
    if (wait === 0 || isNews(now)) return now
    const over = endOf(deps, request, wait * 1_000)
    const bell = createBell()
    deps.board.onEvents(over.signal, (events) => {
      if (events.some(({ task }) => task === holder.task)) bell.ring()
    })
    try {
      let news = now
      while (!over.signal.aborted && !isNews(news)) {
        await bell.rung(over.signal)
        news = look()
      }
      return news
    } finally {
      over.abort()
    }
  })
}

const isNews = ({ comments, stop }: RunNewsView): boolean => comments.length > 0 || stop !== null

/** Throws `API_RUN_OVER` for one that has ended while it waited: no late call, for it asked in time. */
function lookFor(deps: RunCallDeps, run: Run, after: number | undefined): RunNewsView {
  if (!isOpen(run)) throw runOver(deps, run.id)
  return viewRunNews(deps, run, { after })
}

/** When a question is answered whatever there is: after its time, when the hub stops, and when nobody waits any more. */
function endOf({ clock, stop }: RunCallDeps, { raw }: FastifyRequest, waitMs: number): AbortController {
  const over = new AbortController()
  const end = () => over.abort()
  setMaxListeners(0, stop) // one for each worker that waits
  raw.socket.once('close', end)
  stop.addEventListener('abort', end, { once: true })
  over.signal.addEventListener('abort', () => {
    raw.socket.removeListener('close', end)
    stop.removeEventListener('abort', end)
  })
  clock.after(waitMs, over.signal, end)
  if (stop.aborted || raw.socket.destroyed) end()
  return over
}
