import type { FastifyReply } from 'fastify'
import type { Attachment } from '../../board/index.ts'
import { openAttachment } from '../../runs/index.ts'
import { apiError } from '../errors.ts'

/**
 * Sends a file of a card as its bytes are read. A browser saves it and shows nothing of it as a page of ours, whatever is in it:
 * a worker may have written it. Throws `API_ATTACHMENT_GONE`.
 */
export async function sendFile(
  { home }: { readonly home: string },
  { id, name, mediaType, sha256 }: Attachment,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const handle = await openAttachment(home, sha256)
  if (handle === undefined) throw apiError('API_ATTACHMENT_GONE', { id, name })
  const { size } = await handle.stat()
  return reply
    .header('content-type', isActive(mediaType) ? 'application/octet-stream' : mediaType)
    .header('content-length', size)
    .header('content-disposition', dispositionOf(name))
    .header('content-security-policy', "sandbox; default-src 'none'")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, no-cache')
    .header('etag', `"${sha256}"`)
    .send(handle.createReadStream())
}

/** What a browser would run or take for a page of its own. */
const isActive = (mediaType: string): boolean => /html|xml|svg|javascript|css/.test(mediaType)

/** RFC 6266: a name of plain letters for old readers, the whole one beside it (RFC 8187). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const whole = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`
}
