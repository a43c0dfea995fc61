import type { FastifyRequest } from 'fastify'
import { mostAttachmentBytes, sayNameFault } from '../../kernel/index.ts'
import { findMediaType, type StoredArtifact, storeStream } from '../../runs/index.ts'
import { badRequest, queryOrThrow } from '../bodies/bad-request.ts'
import { AttachQuery } from '../contract/index.ts'
import { apiError } from '../errors.ts'

/** Cards and attempts each: past this somebody has a folder to send. */
export const mostAttachments = 100

interface Deps {
  readonly home: string
}

/** The name that a file is to have, as the address says it; throws `API_BAD_REQUEST`. */
export function fileNameOf(request: FastifyRequest): string {
  const { name } = queryOrThrow(AttachQuery, request.query)
  const fault = sayNameFault(name)
  if (fault === undefined) return name
  throw badRequest({ path: 'name', says: fault, fix: 'give it the name of one file, without folders: ?name=spec.pdf' })
}

/**
 * Stores the body of a request, of any kind, as it comes. One that is larger than 25 MiB is refused in the moment in which that
 * is known (C92); one that breaks off leaves nothing. Throws `API_ATTACHMENT_TOO_LARGE`, `API_ATTACHMENT_CUT`, `API_NO_ROOM`.
 */
export async function receiveFile(
  { home }: Deps,
  { request, name }: { readonly request: FastifyRequest; readonly name: string },
): Promise<StoredArtifact> {
  const { raw } = request
  try {
    if (Number(raw.headers['content-length'] ?? 0) > mostAttachmentBytes) throw tooLarge(name)
    const stored = await storeStream(home, raw.iterator({ destroyOnReturn: false }), { mostBytes: mostAttachmentBytes })
    if (stored.ok) return { name, mediaType: findMediaType(name), bytes: stored.bytes, sha256: stored.sha256 }
    throw stored.why === 'too_large' ? tooLarge(name) : apiError('API_NO_ROOM', { name })
  } catch (fault) {
    throw isCut(raw) ? apiError('API_ATTACHMENT_CUT', { name }, fault) : fault
  }
}

const tooLarge = (name: string): Error => apiError('API_ATTACHMENT_TOO_LARGE', { name, mostBytes: mostAttachmentBytes })

const isCut = ({ destroyed, readableEnded }: FastifyRequest['raw']): boolean => destroyed && !readableEnded
