import type { Attachment } from '../../board/index.ts'
import type { AttachmentView } from '../contract/index.ts'
import { isoTime } from './time.ts'

export function viewAttachment({
  id,
  task,
  run,
  name,
  mediaType,
  bytes,
  sha256,
  by,
  atMs,
}: Attachment): AttachmentView {
  return { id, task, run, name, media_type: mediaType, bytes, sha256, by, at: isoTime(atMs) }
}
