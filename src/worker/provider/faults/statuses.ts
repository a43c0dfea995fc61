import type { Verdict } from './fault.ts'

const meanings: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [400, ['failed', 'bad_request']],
  [401, ['needs_human', 'auth']],
  [402, ['needs_human', 'billing']],
  [403, ['needs_human', 'permission']],
  [404, ['needs_human', 'model_not_found']],
  [408, ['transient', 'timeout']],
  [409, ['transient', 'server_error']],
  [412, ['needs_human', 'permission']], // Fireworks: account suspended, adapter not loadable
  [413, ['overflow', 'context_overflow']],
  [424, ['transient', 'server_error']], // Groq: a dependency failed
  [425, ['transient', 'server_error']],
  [429, ['transient', 'rate_limit']],
  [498, ['transient', 'overloaded']], // Groq: flex capacity
  [499, ['transient', 'dropped_stream']],
  [501, ['failed', 'unsupported_param']],
  [503, ['transient', 'overloaded']],
  [504, ['transient', 'timeout']],
  [522, ['transient', 'timeout']],
  [524, ['transient', 'timeout']],
  [529, ['transient', 'overloaded']],
])

/**
 * What a status means when the body says nothing (worker-facts b.4). Without a status the error stood in a 200 or in a
 * stream: one that is not even JSON is a fault of the protocol, one in unknown words has to count.
 */
export function statusVerdict(
  status: number | null,
  { isJson, hinted }: { readonly isJson: boolean; readonly hinted: boolean },
): Verdict {
  if (status === null) return isJson ? ['failed', 'unknown'] : ['transient', 'protocol']
  if (status >= 300 && status < 400) return ['needs_human', 'redirect']
  if (status === 402 && hinted) return ['transient', 'rate_limit'] // a reset time: a budget that fills again
  const known = meanings.get(status)
  if (known !== undefined) return known
  if (status >= 500 && status < 600) return ['transient', 'server_error']
  return status >= 400 && status < 500 ? ['failed', 'bad_request'] : ['failed', 'unknown']
}
