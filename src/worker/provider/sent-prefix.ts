import type { Hash } from 'node:crypto'
import type { WireBody } from './wire-api.ts'

interface Remembered {
  readonly head: string
  readonly messages: readonly string[]
  /** Of everything up to and with the last message; only copies of it are ended. */
  readonly hash: Hash
}

/** A conversation and the calls beside it, such as one for a summary. */
const mostRemembered = 3

/**
 * Hashes what is sent to one endpoint. What an earlier call had sent is not hashed again: a turn costs what it adds.
 * Texts are compared, not the values that they were made from.
 */
export class SentPrefixes {
  #remembered: readonly Remembered[] = []

  note({ head, messages }: WireBody): { readonly prefixSha256: string; readonly messagesSha256: string } {
    const { of: before, shared } = this.#longest(head, messages)
    const goesOn = before !== undefined && before.messages.length === shared
    const prefix = goesOn ? before.hash.copy() : extend(createHash(), head, messages.slice(0, shared), 0)
    const prefixSha256 = prefix.copy().digest('hex')
    const hash = extend(prefix, '', messages.slice(shared), shared)
    const others = this.#remembered.filter((one) => !goesOn || one !== before)
    this.#remembered = [{ head, messages, hash }, ...others].slice(0, mostRemembered)
    return { prefixSha256, messagesSha256: hash.copy().digest('hex') }
  }

  #longest(
    head: string,
    messages: readonly string[],
  ): { readonly of: Remembered | undefined; readonly shared: number } {
    let best: { of: Remembered | undefined; shared: number } = { of: undefined, shared: 0 }
    for (const one of this.#remembered) {
      if (one.head !== head) continue
      const shared = countShared(one.messages, messages)
      if (best.of === undefined || shared > best.shared) best = { of: one, shared }
    }
    return best
  }
}

function countShared(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length)
  let shared = 0
  while (shared < most && a[shared] === b[shared]) shared += 1
  return shared
}

/** The bytes as they stand in the body, commas between messages included. */
function extend(hash: Hash, head: string, messages: readonly string[], already: number): Hash {
  const comma = already > 0 && messages.length > 0 ? ',' : ''
  return hash.update(`${head}${comma}${messages.join(',')}`)
}

/** Loaded at the first use, which comes after the first request has left. */
const createHash = (): Hash => process.getBuiltinModule('node:crypto').createHash('sha256')
