import { closeSync, fstatSync, readSync } from 'node:fs'

/** As the board makes them. */
const tokenPattern = /^ymr_R[1-9][0-9]{0,14}_[A-Za-z0-9_-]{43}$/
const mostBytes = 256

/**
 * The run's token, from the descriptor at which its dispatcher left it: read to its end once, and closed, so that no command of
 * ours inherits it. Undefined where there is none. What stands at that number and is no such pipe is left alone: without a token
 * Node itself may have opened it.
 */
export function readRunToken(descriptor: number): string | undefined {
  const text = readPipe(descriptor)
  if (text === undefined) return undefined
  closeSync(descriptor)
  const token = text.trim()
  return tokenPattern.test(token) ? token : undefined
}

/** Undefined for what is no pipe, and for one that is still open and holds nothing: that is not ours. */
function readPipe(descriptor: number): string | undefined {
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFIFO() && !stat.isSocket()) return undefined
    const buffer = Buffer.alloc(mostBytes)
    let length = 0
    while (length < mostBytes) {
      const bytes = readSync(descriptor, buffer, length, mostBytes - length, null)
      if (bytes === 0) break
      length += bytes
    }
    return buffer.toString('latin1', 0, length)
  } catch {
    return undefined // closed, or a pipe of somebody else that would have us wait
  }
}
