import type { CallEvidence } from './evidence.ts'
import type { Verdict } from './fault.ts'

const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER', // https asked of an http port
])
const unreachableCodes = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'ENOENT'])
const brokenCodes = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EPROTO', 'ERR_STREAM_PREMATURE_CLOSE'])

/** What a call without any body means: by the codes of what was thrown, along its chain of causes. */
export function causeVerdict({ cause, phase }: Pick<CallEvidence, 'cause' | 'phase'>): Verdict {
  const codes = codesOf(cause)
  const any = (known: ReadonlySet<string>) => codes.some((code) => known.has(code))
  if (any(certificateCodes)) return ['needs_human', 'tls']
  if (codes.includes('ENOTFOUND') || codes.includes('EAI_AGAIN')) return ['transient', 'dns']
  if (codes.includes('ETIMEDOUT')) return ['transient', 'timeout']
  if (any(unreachableCodes)) return ['transient', 'unreachable']
  if (codes.some((code) => code.startsWith('HPE_'))) return ['transient', 'protocol']
  if (cause instanceof SyntaxError) return ['transient', 'protocol']
  if (any(brokenCodes)) return phase === 'connect' ? ['transient', 'unreachable'] : ['transient', 'dropped_stream']
  if (phase !== 'connect') return ['transient', 'dropped_stream']
  return ['failed', 'unknown']
}

function codesOf(cause: unknown): readonly string[] {
  const codes: string[] = []
  let inner = cause
  for (let depth = 0; depth < 8 && typeof inner === 'object' && inner !== null; depth += 1) {
    const { code, cause, errors } = inner as { code?: unknown; cause?: unknown; errors?: readonly unknown[] }
    if (typeof code === 'string') codes.push(code)
    inner = cause ?? errors?.[0] // several addresses were tried: the first speaks for all
  }
  return codes
}
