import { isDeeperThan, maskJson, type Redactor } from '../../kernel/index.ts'
import { badRequest } from './bad-request.ts'

const mostDataBytes = 256 * 1_024
/** Whoever walks it later does so by recursion. */
const deepestData = 100

/** The data of a call as the board keeps it: JSON text with all that is secret masked, or null. */
export function callDataFromBody(mask: Redactor, data: unknown): string | null {
  if (data == null) return null
  if (isDeeperThan(data, deepestData)) {
    throw badRequest({ path: 'data', says: `is nested more than ${deepestData} levels deep`, fix: 'send it flatter' })
  }
  const text = maskJson(mask, data)
  const bytes = Buffer.byteLength(text)
  if (bytes <= mostDataBytes) return text
  const fix = 'write it into a file of the workspace and send its path'
  throw badRequest({ path: 'data', says: `is ${bytes} bytes as JSON, more than ${mostDataBytes}`, fix })
}
