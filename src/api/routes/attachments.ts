import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Attachment, Board } from '../../board/index.ts'
import { fileNameOf, mostAttachments, receiveFile } from '../attachments/receive-file.ts'
import { sendFile } from '../attachments/send-file.ts'
import type { AttachmentView } from '../contract/index.ts'
import { apiError } from '../errors.ts'
import { viewAttachment } from '../views/attachment-view.ts'
import { actorOf, paramOf, type RouteDeps, taskOf } from './route-deps.ts'

/** Files of a card, in and out. */
export function addAttachmentRoutes(app: FastifyInstance, deps: RouteDeps): void {
  const { board, yard } = deps
  const { home } = yard

  app.get('/tasks/:id/attachments', (request): readonly AttachmentView[] =>
    board.attachmentsOf(taskOf(deps, request).id).map(viewAttachment),
  )

  app.get('/attachments/:id', (request, reply) => sendFile({ home }, attachmentOf(deps, request), reply))

  app.register(async (raw) => {
    const track = takeAnyBody(raw)
    raw.post('/tasks/:id/attachments', async (request, reply) => {
      const { id } = taskOf(deps, request)
      const name = fileNameOf(request)
      refuseTooMany(board.attachmentsOf(id), { run: null, name })
      const file = await track(receiveFile({ home }, { request, name }))
      const added = await board.queue((board) => {
        refuseTooMany(board.attachmentsOf(id), { run: null, name }) // others may have come while it was sent
        return board.addAttachment({ ...file, task: id, run: null }, actorOf(request))
      })
      return reply.code(201).send(viewAttachment(added))
    })
  })
}

/**
 * Bodies of any kind are left to the handlers of this scope, as they come. What it answers is called around the receiving of each, so
 * that an API that stops is done with all that had begun, one way or the other, before it has stopped.
 */
export function takeAnyBody(app: FastifyInstance): <T>(receiving: Promise<T>) => Promise<T> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload))
  const begun = new Set<Promise<unknown>>()
  app.addHook('onClose', async () => {
    await Promise.allSettled(begun)
  })
  return async (receiving) => {
    begun.add(receiving)
    try {
      return await receiving
    } finally {
      begun.delete(receiving)
    }
  }
}

/** One of a name that is there takes its place and is no more. */
export function refuseTooMany(files: readonly Attachment[], { run, name }: Pick<Attachment, 'run' | 'name'>): void {
  const others = files.filter((file) => file.run === run && file.name !== name)
  if (others.length >= mostAttachments) throw apiError('API_TOO_MANY_ATTACHMENTS', { most: mostAttachments })
}

function attachmentOf({ board }: { readonly board: Board }, request: FastifyRequest): Attachment {
  const text = paramOf(request, 'id')
  const attachment = /^[1-9][0-9]{0,14}$/.test(text) ? board.readAttachment(Number(text)) : undefined
  if (attachment !== undefined) return attachment
  throw apiError('API_NOT_FOUND', { what: `attachment ${JSON.stringify(text.slice(0, 100))}` })
}
