import { closeSync, fstatSync, readSync } from 'node:fs'
import { type Handover, mostHandoverBytes, parseHandover } from '../../runs/index.ts'

/** As the board makes them. */
const tokenPattern = /^ymr_R[1-9][0-9]{0,14}_[A-Za-z0-9_-]{43}$/

/**
 * The run's token and its key, from the descriptor at which its dispatcher left them: read to its end once, and closed, so that no
 * command of ours inherits it. Nothing where there is none. What stands at that number and is no such pipe is left alone: without
 * one Node itself may have opened it.
 */
export function readHandover(descriptor: number): Handover {
  const text = readPipe(descriptor)
  if (text === undefined) return { token: undefined, key: undefined }
  closeSync(descriptor)
  const { token, key } = parseHandover(text)
  return { token: token !== undefined && tokenPattern.test(token) ? token : undefined, key }
}

/** Undefined for what is no pipe, and for one that is still open and holds nothing: that is not ours. */
function readPipe(descriptor: number): string | undefined {
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFIFO() && !stat.isSocket()) return undefined
    const buffer = Buffer.alloc(mostHandoverBytes)
    let length = 0
    while (length < buffer.byteLength) {
      const bytes = readSync(descriptor, buffer, length, buffer.byteLength - length, null)
      if (bytes === 0) break
      length += bytes
    }
    return buffer.toString('utf8', 0, length)
  } catch {
    return undefined // closed, or a pipe of somebody else that would have us wait
  }
}
